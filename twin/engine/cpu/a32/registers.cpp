#include "cpu/a32/registers.h"

#include <unicorn/unicorn.h>

namespace twin::a32 {

namespace {

uc_arm_cp_reg name_of(CoprocessorRegister reg, std::uint32_t value) {
    return {.cp = 15,
            .is64 = 0,
            .sec = 1, // the secure bank
            .crn = reg.crn,
            .crm = reg.crm,
            .opc1 = reg.opc1,
            .opc2 = reg.opc2,
            .val = value};
}

int name_of_general(unsigned index) {
    constexpr int high[] = {UC_ARM_REG_SP, UC_ARM_REG_LR};
    return index < 13 ? UC_ARM_REG_R0 + static_cast<int>(index) : high[index - 13];
}

} // namespace

std::uint32_t read_coprocessor(uc_struct *uc, CoprocessorRegister reg) {
    auto name = name_of(reg, 0);
    uc_reg_read(uc, UC_ARM_REG_CP_REG, &name);
    return static_cast<std::uint32_t>(name.val);
}

void write_coprocessor(uc_struct *uc, CoprocessorRegister reg, std::uint32_t value) {
    auto name = name_of(reg, value);
    uc_reg_write(uc, UC_ARM_REG_CP_REG, &name);
}

std::uint32_t read_cpsr(uc_struct *uc) {
    std::uint32_t value = 0;
    uc_reg_read(uc, UC_ARM_REG_CPSR, &value);
    return value;
}

void write_cpsr(uc_struct *uc, std::uint32_t value) { uc_reg_write(uc, UC_ARM_REG_CPSR, &value); }

std::uint32_t read_general(uc_struct *uc, unsigned index) {
    std::uint32_t value = 0;
    uc_reg_read(uc, name_of_general(index), &value);
    return value;
}

void write_general(uc_struct *uc, unsigned index, std::uint32_t value) {
    uc_reg_write(uc, name_of_general(index), &value);
}

bool condition_holds(std::uint32_t cpsr, unsigned condition) {
    bool n = cpsr >> 31 & 1, z = cpsr >> 30 & 1, c = cpsr >> 29 & 1, v = cpsr >> 28 & 1;
    bool holds = true;
    switch (condition >> 1) {
    case 0:
        holds = z;
        break;
    case 1:
        holds = c;
        break;
    case 2:
        holds = n;
        break;
    case 3:
        holds = v;
        break;
    case 4:
        holds = c && !z;
        break;
    case 5:
        holds = n == v;
        break;
    case 6:
        holds = n == v && !z;
        break;
    default: // always
        return true;
    }
    return holds != (condition & 1);
}

} // namespace twin::a32
