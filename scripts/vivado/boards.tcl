# What differs between the boards; everything else is in build.tcl, design.tcl and checks.tcl.
#
# part, board  names in Vivado; the newest board file that matches is taken
# number       what the core says that it is: register source, field board (docs/registers.md)
# free         1 if the free edition of Vivado has the part
#
# Sources: XilinxBoardStore, boards/Xilinx/zcu102/3.4 and zcu104/1.1, board.xml.

set boards {
  zcu102 {
    part   xczu9eg-ffvb1156-2-e
    board  xilinx.com:zcu102:part0:*
    number 1
    free   0
  }
  zcu104 {
    part   xczu7ev-ffvc1156-2-e
    board  xilinx.com:zcu104:part0:*
    number 2
    free   1
  }
}

# Versions of Vivado that a build was seen with: none so far. Any version is let through; one that
# is not in the list is named in the log.
set versions_tried {}
set version_written_for 2024.2
