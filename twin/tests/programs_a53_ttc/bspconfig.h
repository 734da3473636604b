/* What the vendor's tools would write: the program starts at EL3, on no hypervisor. */
#pragma once

#define EL3 1
#define EL1_NONSECURE 0
#define HYP_GUEST 0
