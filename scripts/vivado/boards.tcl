# What differs between the boards; what differs between their processor systems is in zynqmp.tcl and
# zynq7000.tcl, and everything else in build.tcl, design.tcl and checks.tcl.
#
# part, board  names in Vivado; the newest board file that matches is taken
# number       what the core says that it is: register source, field board (hw/regs/irqscope.rdl)
# free         1 if the free edition of Vivado has the part
# machine      processor system
# carrier      connector of a module, board file of its carrier, and the carrier's connector
# leds         1 if the PL has LEDs whose pins are known
# own          1 if its firmware is another program than its machine's others have
# outputs      pins that lines are copied to, and
# inputs       pins whose edges can be markers: from 0 on, of the core's eight each
# settings     of the processor system, which it has anyway where the carrier's preset reaches it
# crystal      MHz of the reference, on a Zynq-7000; the board's preset has to give it, as well as
# cpu, uart    MHz of the cores, and the number of the console's UART
#
# Sources: XilinxBoardStore, boards/Xilinx/zcu102/3.4, zcu104/1.1, kv260_som/1.4, kv260_carrier/1.3,
# board.xml and preset.xml; how module and carrier are joined: analogdevicesinc/hdl,
# projects/common/kv260.
# Digilent/vivado-boards, new/board_files/zedboard/1.3; XilinxBoardStore, boards/TUL/pynq-z2/A.0;
# crystal and cores of the ZedBoard: u-boot, board/xilinx/zynq/zynq-zed, ps7_init.

set boards {
  zcu102 {
    part    xczu9eg-ffvb1156-2-e
    board   xilinx.com:zcu102:part0:*
    number  1
    free    0
    machine zynqmp
    carrier {}
    leds    1
    outputs 8
    inputs  8
  }
  zcu104 {
    part    xczu7ev-ffvc1156-2-e
    board   xilinx.com:zcu104:part0:*
    number  2
    free    1
    machine zynqmp
    carrier {}
    leds    1
    outputs 8
    inputs  8
  }
  kv260 {
    part    xck26-sfvc784-2LV-c
    board   xilinx.com:kv260_som:part0:*
    number  3
    free    1
    machine zynqmp
    carrier {som240_1_connector xilinx.com:kv260_carrier som240_1_connector}
    leds    0
    outputs 4
    inputs  4
    own     1
    settings {
      CONFIG.PSU__UART1__PERIPHERAL__ENABLE 1
      CONFIG.PSU__UART1__PERIPHERAL__IO {MIO 36 .. 37}
      CONFIG.PSU__CRL_APB__UART1_REF_CTRL__SRCSEL IOPLL
      CONFIG.PSU__CRL_APB__UART1_REF_CTRL__FREQMHZ 100
    }
  }
  zedboard {
    part    xc7z020clg484-1
    board   digilentinc.com:zedboard:part0:*
    number  1
    free    1
    machine zynq7000
    carrier {}
    leds    1
    outputs 8
    inputs  8
    crystal 33.333333
    cpu     666.667
    uart    1
  }
  pynqz2 {
    part    xc7z020clg400-1
    board   tul.com.tw:pynq-z2:part0:*
    number  2
    free    1
    machine zynq7000
    carrier {}
    leds    1
    outputs 8
    inputs  8
    crystal 50
    cpu     650
    uart    0
  }
}

# Versions of Vivado that a build was seen with: none so far. Any version is let through; one that
# is not in the list is named in the log.
set versions_tried {}
set version_written_for 2024.2
