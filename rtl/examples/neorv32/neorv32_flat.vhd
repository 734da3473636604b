-- The CPU of NEORV32 with plain ports, for ghdl --synth --out=verilog.
library ieee;
use ieee.std_logic_1164.all;
library neorv32;
use neorv32.neorv32_package.all;

entity neorv32_flat is
  port (
    clk, rst_n              : in  std_ulogic;
    sleep                   : out std_ulogic;
    software, external      : in  std_ulogic;
    timer                   : in  std_ulogic;
    fast                    : in  std_ulogic_vector(15 downto 0);
    i_strobe                : out std_ulogic;
    i_address               : out std_ulogic_vector(31 downto 0);
    i_ack                   : in  std_ulogic;
    i_data                  : in  std_ulogic_vector(31 downto 0);
    d_strobe, d_write       : out std_ulogic;
    d_address, d_store      : out std_ulogic_vector(31 downto 0);
    d_bytes                 : out std_ulogic_vector(3 downto 0);
    d_ack                   : in  std_ulogic;
    d_data                  : in  std_ulogic_vector(31 downto 0)
  );
end entity;

architecture flat of neorv32_flat is
  signal i_request, d_request : bus_req_t;
  signal i_answer, d_answer   : bus_rsp_t;
begin
  cpu : entity neorv32.neorv32_cpu
    generic map (
      BOOT_ADDR => x"00100000", RISCV_ISA_M => true, CPU_FAST_MUL_EN => true,
      CPU_FAST_SHIFT_EN => true
    )
    port map (
      clk_i => clk, rstn_i => rst_n, mtime_i => (others => '0'), trace_o => open,
      sleep_o => sleep, msi_i => software, mei_i => external, mti_i => timer, firq_i => fast,
      dbi_i => '0', ifence_o => open, ibus_req_o => i_request, ibus_rsp_i => i_answer,
      dfence_o => open, dbus_req_o => d_request, dbus_rsp_i => d_answer
    );
  i_strobe  <= i_request.stb;
  i_address <= i_request.addr;
  i_answer  <= (ack => i_ack, err => '0', data => i_data);
  d_strobe  <= d_request.stb;
  d_write   <= d_request.rw;
  d_address <= d_request.addr;
  d_store   <= d_request.data;
  d_bytes   <= d_request.ben;
  d_answer  <= (ack => d_ack, err => '0', data => d_data);
end architecture;
