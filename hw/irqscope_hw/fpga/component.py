"""Writes the files that make ``ip/`` packaged cores, one for each processor system.

These are description, page of parameters, and script for block designs.

Usage: ``python -m irqscope_hw.fpga.component``

IP-XACT as IEEE 1685-2009 defines it and Vivado's IP catalogue reads it. A core has one top module,
and those of the two processor systems have other ports: so there are two descriptions over one
gateware. Vivado wants the name ``component.xml``, so each has a folder; a project with ``ip/`` as a
repository has both. Files above the folder are named by ``..``, as in analogdevicesinc/hdl: Vivado
warns of them, and public projects of 2018.3 to 2022.2 hold what it built so.

Ports and parameters are taken from the top modules. The core has no memory map: the registers are
accessed through the EMIO port. The EMIO vectors are a slave of ``xilinx.com:interface:gpio``, whose
master is the processor system: what it reads (TRI_I) is an output here.

Left out, because Vivado computes them itself when it packs: checksums of files and views.
"""

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

from irqscope_hw import verilog

from .cores import BD, CORES, SIMULATION, SYNTHESIS, VERSION, Core, Interface

IP = verilog.OUTPUT.parent
VENDOR, LIBRARY = "irqscope", "irqscope"
SPIRIT = "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"
XILINX = "http://www.xilinx.com"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
VIEWS = (
    # name, displayed text, Vivado's name of the purpose
    (SYNTHESIS, "Synthesis", ":vivado.xilinx.com:synthesis"),
    (SIMULATION, "Simulation", ":vivado.xilinx.com:simulation"),
    ("xilinx_xpgui", "UI Layout", ":vivado.xilinx.com:xgui.ui"),
    ("bd_tcl", "Block Diagram", ":vivado.xilinx.com:block.diagram"),
)
#: File types that IEEE 1685-2009 enumerates and that are here; any other is a user's.
STANDARD_FILE_TYPES = ("verilogSource", "tclSource")

#: Smallest and greatest value of each parameter, and its meaning.
RANGES = {
    "EMIO_WIDTH": (64, 95, "Width of the processor system's EMIO vectors"),
    "TICK_HZ": (1, 1000000000, "Rate of clk in Hz, read by software"),
    "BOARD": (1, 255, "Number of the board in the register source"),
    "RESET_TICKS": (16, 65535, "Ticks of clk that reset lasts after resetn and configuration"),
}

#: Inputs that a board need not wire, tied low then: its PMOD may be the only one.
OPTIONAL = ("pmod_in",)


@dataclass(frozen=True)
class Port:
    """A port of the top module; ``left`` is the highest index as written, None for one bit."""

    name: str
    direction: str
    left: str | None


def parse(top: str, source: str) -> tuple[dict[str, int], list[Port]]:
    """Parameters with their values, and ports, in the header of ``top`` in a Verilog text."""
    header = re.search(rf"module {top} #\((.*?)\) \((.*?)\);", source, re.DOTALL)
    if header is None:
        raise ValueError(f"no header of module {top}")
    parameters = {n: int(v) for n, v in re.findall(r"parameter integer (\w+) = (\d+)", header[1])}
    ports = [
        Port(name, {"input": "in", "output": "out"}[direction], left or None)
        for direction, left, name in re.findall(
            r"(input|output)\s+wire\s+(?:\[(.+?):0\])?\s*(\w+)", header[2]
        )
    ]
    return parameters, ports


# ---- component.xml ------------------------------------------------------------------------------


def add(parent: ET.Element, tag: str, text: object = None, **attributes: str) -> ET.Element:
    """A child in the namespace of IP-XACT, with attributes there too."""
    element = ET.SubElement(parent, f"spirit:{tag}")
    element.attrib.update({f"spirit:{key}": value for key, value in attributes.items()})
    if text is not None:
        element.text = str(text)
    return element


def component(core: Core, source: str) -> str:
    """The text of the description for a Verilog text of the top module."""
    parameters, ports = parse(core.top, source)
    spaces = {"xmlns:xilinx": XILINX, "xmlns:spirit": SPIRIT, "xmlns:xsi": XSI}
    root = ET.Element("spirit:component", spaces)
    for tag, text in (
        ("vendor", VENDOR),
        ("library", LIBRARY),
        ("name", core.name),
        ("version", VERSION),
    ):
        add(root, tag, text)
    interfaces = add(root, "busInterfaces")
    for name, interface in core.interfaces.items():
        _interface(interfaces, name, interface)
    model = add(root, "model")
    _views(model, core.top)
    _ports(model, ports, parameters)
    _model_parameters(model, parameters)
    _file_sets(root, core)
    add(root, "description", "Interrupt latency instrument: fires interrupts, stamps answers.")
    _parameters(root, core.name, parameters)
    _extensions(root, core)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _interface(parent: ET.Element, name: str, declared: Interface) -> None:
    library, bus = declared.bus
    interface = add(parent, "busInterface")
    add(interface, "name", name)
    for tag, each in (("busType", bus), ("abstractionType", f"{bus}_rtl")):
        add(interface, tag, vendor="xilinx.com", library=library, name=each, version="1.0")
    add(interface, declared.side)
    port_maps = add(interface, "portMaps")
    for logical, physical in declared.ports.items():
        port_map = add(port_maps, "portMap")
        add(add(port_map, "logicalPort"), "name", logical)
        add(add(port_map, "physicalPort"), "name", physical)
    if not declared.parameters:
        return
    parameters = add(interface, "parameters")
    for key, value in declared.parameters.items():
        parameter = add(parameters, "parameter")
        add(parameter, "name", key)
        add(parameter, "value", value, id=f"BUSIFPARAM_VALUE.{name.upper()}.{key}")


def _views(model: ET.Element, top: str) -> None:
    views = add(model, "views")
    for name, title, purpose in VIEWS:
        view = add(views, "view")
        add(view, "name", name)
        add(view, "displayName", title)
        add(view, "envIdentifier", purpose)
        if name in (SYNTHESIS, SIMULATION):
            add(view, "language", "Verilog")
            add(view, "modelName", top)
        add(add(view, "fileSetRef"), "localName", f"{name}_view_fileset")


def _ports(model: ET.Element, ports: list[Port], parameters: dict[str, int]) -> None:
    parent = add(model, "ports")
    for port in ports:
        element = add(parent, "port")
        add(element, "name", port.name)
        wire = add(element, "wire")
        add(wire, "direction", port.direction)
        if port.left is not None:
            vector = add(wire, "vector")
            _left(vector, port.left, parameters)
            add(vector, "right", 0, format="long")
        definition = add(add(wire, "wireTypeDefs"), "wireTypeDef")
        add(definition, "typeName", "wire")
        for view in (SYNTHESIS, SIMULATION):
            add(definition, "viewNameRef", view)
        if port.name in OPTIONAL:
            add(add(wire, "driver"), "defaultValue", 0, format="long")


def _left(vector: ET.Element, left: str, parameters: dict[str, int]) -> None:
    if left.isdecimal():
        add(vector, "left", left, format="long")
        return
    name, minus = re.fullmatch(r"(\w+)\s*-\s*(\d+)", left).groups()
    formula = f"(spirit:decode(id('MODELPARAM_VALUE.{name}')) - {minus})"
    attributes = {"format": "long", "resolve": "dependent", "dependency": formula}
    add(vector, "left", parameters[name] - int(minus), **attributes)


def _model_parameters(model: ET.Element, parameters: dict[str, int]) -> None:
    parent = add(model, "modelParameters")
    for name, value in parameters.items():
        element = add(parent, "modelParameter", dataType="integer")
        element.set("xsi:type", "spirit:nameValueTypeType")
        add(element, "name", name)
        add(element, "displayName", title(name))
        add(element, "description", RANGES[name][2])
        identity = {"format": "long", "resolve": "generated", "id": f"MODELPARAM_VALUE.{name}"}
        add(element, "value", value, **identity)


def _file_sets(root: ET.Element, core: Core) -> None:
    parent = add(root, "fileSets")
    for view, files in core.files.items():
        file_set = add(parent, "fileSet")
        add(file_set, "name", f"{view}_view_fileset")
        for name, kind in files:
            file = add(file_set, "file")
            add(file, "name", name)
            add(file, "fileType" if kind in STANDARD_FILE_TYPES else "userFileType", kind)
            if name == core.xgui:
                add(file, "userFileType", "XGUI_VERSION_2")


def _parameters(root: ET.Element, core: str, parameters: dict[str, int]) -> None:
    parent = add(root, "parameters")
    for name, value in parameters.items():
        least, greatest, meaning = RANGES[name]
        element = add(parent, "parameter")
        add(element, "name", name)
        add(element, "displayName", title(name))
        add(element, "description", meaning)
        limits = {"minimum": str(least), "maximum": str(greatest), "rangeType": "long"}
        identity = {"format": "long", "resolve": "user", "id": f"PARAM_VALUE.{name}"}
        add(element, "value", value, **identity, **limits)
    element = add(parent, "parameter")
    add(element, "name", "Component_Name")
    identity = {"resolve": "user", "id": "PARAM_VALUE.Component_Name", "order": "1"}
    add(element, "value", f"{core}_v{VERSION.replace('.', '_')}", **identity)


def _extensions(root: ET.Element, core: Core) -> None:
    extensions = ET.SubElement(add(root, "vendorExtensions"), "xilinx:coreExtensions")
    families = ET.SubElement(extensions, "xilinx:supportedFamilies")
    family = ET.SubElement(families, "xilinx:family", {"xilinx:lifeCycle": "Beta"})
    family.text = core.family
    taxonomies = ET.SubElement(extensions, "xilinx:taxonomies")
    ET.SubElement(taxonomies, "xilinx:taxonomy").text = "/UserIP"
    ET.SubElement(extensions, "xilinx:displayName").text = core.name
    ET.SubElement(extensions, "xilinx:coreRevision").text = "1"


def title(name: str) -> str:
    """Title of a parameter in Vivado: RESET_TICKS becomes Reset Ticks."""
    return name.replace("_", " ").title()


# ---- the page of parameters ---------------------------------------------------------------------


def xgui(core: Core, source: str) -> str:
    """The text of the Tcl by which Vivado shows the parameters and checks their ranges."""
    parameters, _ = parse(core.top, source)
    lines = [
        "# Generated by python -m irqscope_hw.fpga.component: do not edit.",
        "",
        "proc init_gui { IPINST } {",
        '  ipgui::add_param $IPINST -name "Component_Name"',
        '  set page [ipgui::add_page $IPINST -name "Page 0"]',
        *(f'  ipgui::add_param $IPINST -name "{name}" -parent $page' for name in parameters),
        "}",
    ]
    for name in parameters:
        least, greatest, _ = RANGES[name]
        both = f"PARAM_VALUE.{name}"
        lines += [
            "",
            f"proc update_{both} {{ {both} }} {{",
            "  # Called when a parameter that this one depends on changes: there is none.",
            "}",
            "",
            f"proc validate_{both} {{ {both} }} {{",
            f"  set value [get_property value ${{{both}}}]",
            f"  return [expr {{$value >= {least} && $value <= {greatest}}}]",
            "}",
            "",
            f"proc update_MODELPARAM_VALUE.{name} {{ MODELPARAM_VALUE.{name} {both} }} {{",
            f"  set_property value [get_property value ${{{both}}}] ${{MODELPARAM_VALUE.{name}}}",
            "}",
        ]
    return "\n".join(lines) + "\n"


# ---- in a block design --------------------------------------------------------------------------


def block_design() -> str:
    """The Tcl that Vivado runs for a core in a block design: TICK_HZ follows the clock's FREQ_HZ.

    In this form cores of AMD, Digilent (vivado-library, MIPI_D_PHY_RX) and Analog Devices (hdl,
    axi_clkgen) have it. Values that the user set stay. A query that a version does not know is
    told, and ends no validation.
    """
    return """\
# Generated by python -m irqscope_hw.fpga.component: do not edit.
# Vivado runs these for the core in a block design. TICK_HZ follows the clock unless somebody set
# it.

proc init {cellpath otherInfo} {
  if {[catch {bd::mark_propagate_overrideable [get_bd_cells $cellpath] TICK_HZ} message]} {
    puts "irqscope: set TICK_HZ of $cellpath yourself: $message"
  }
}

proc post_propagate {cellpath otherInfo} {
  if {[catch {
    set core [get_bd_cells $cellpath]
    set hz [get_property CONFIG.FREQ_HZ [get_bd_pins $cellpath/clk]]
    if {$hz ne {} && [get_property CONFIG.TICK_HZ.VALUE_SRC $core] ne "USER"} {
      set_property CONFIG.TICK_HZ [expr {round($hz)}] $core
    }
  } message]} {
    puts "irqscope: set TICK_HZ of $cellpath yourself: $message"
  }
}
"""


# ---- what the processor's pins may reach --------------------------------------------------------


def endpoints(constraints: str, gateware: str) -> str:
    """The Tcl list of the pins, below the core, that the constraints exempt as crossings of EMIO.

    Each pattern of a set_false_path gives one pin a bit of the register that it names, as wide as
    the Verilog declares it.
    """
    modules = dict(re.findall(r"(?ms)^module (\w+)\(.*?\);(.*?)^endmodule", gateware))
    pins = []
    for line in constraints.splitlines():
        if not line.startswith("set_false_path"):
            continue
        for instance, name, pin in re.findall(r"\*core/(\w+)/(\w+?)_reg(?:\[\*\])?/(\w+)", line):
            body = modules[f"irqscope_{instance}"]
            left = re.search(rf"\breg (?:\[(\d+):0\] )?{name}\b", body)[1]
            bits = [""] if left is None else [f"[{bit}]" for bit in range(int(left) + 1)]
            pins += [f"{instance}/{name}_reg{bit}/{pin}" for bit in bits]
    lines = [f"  {pin}" for pin in pins]
    return "\n".join(
        [
            "# Generated by python -m irqscope_hw.fpga.component: do not edit.",
            "# Pins of registers, below the core, that EMIO reaches, as in irqscope.xdc.",
            "set emio_endpoints {",
            *lines,
            "}",
            "",
        ]
    )


def outputs() -> dict[str, str]:
    """Each generated file, by its path below ``ip/``."""
    written = {}
    for core in CORES:
        source = (IP / f"{core.top}.v").read_text()
        files = {"component.xml": component(core, source), core.xgui: xgui(core, source)}
        files[BD] = block_design()
        written |= {f"{core.folder}/{name}": text for name, text in files.items()}
    exempt = endpoints((IP / "irqscope.xdc").read_text(), verilog.OUTPUT.read_text())
    return {**written, "endpoints.tcl": exempt}


def main() -> None:
    """Writes the files."""
    for name, text in outputs().items():
        path: Path = IP / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
