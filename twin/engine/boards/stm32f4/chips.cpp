#include "boards/stm32f4/chips.h"

#include "core/stop.h"

#include <algorithm>
#include <iterator>

namespace twin::stm32f4 {

namespace {

// RM0390 and RM0383, chapter 2 (addresses), 6 (clocks) and 10 (interrupts).
constexpr std::uint8_t ahb1 = 0x30, ahb2 = 0x34, apb1 = 0x40, apb2 = 0x44;

constexpr std::uint32_t spi5 = 0x4001'5000; // of the F411 alone

const std::vector<Peripheral> of_f411{
    {"TIM2", 0x4000'0000, 0x400, Kind::timer, apb1, 0, 28, 32, 0},
    {"TIM3", 0x4000'0400, 0x400, Kind::timer, apb1, 1, 29, 16, 0},
    {"TIM4", 0x4000'0800, 0x400, Kind::timer, apb1, 2, 30, 16, 0},
    {"TIM5", 0x4000'0C00, 0x400, Kind::timer, apb1, 3, 50, 32, 0},
    {"RTC", 0x4000'2800, 0x400, Kind::rtc},
    {"WWDG", 0x4000'2C00, 0x400, Kind::kept, apb1, 11},
    {"IWDG", 0x4000'3000, 0x400},
    {"SPI2", 0x4000'3800, 0x400, Kind::kept, apb1, 14},
    {"SPI3", 0x4000'3C00, 0x400, Kind::kept, apb1, 15},
    {"USART2", 0x4000'4400, 0x400, Kind::usart, apb1, 17, 38},
    {"I2C1", 0x4000'5400, 0x400, Kind::kept, apb1, 21},
    {"I2C2", 0x4000'5800, 0x400, Kind::kept, apb1, 22},
    {"I2C3", 0x4000'5C00, 0x400, Kind::kept, apb1, 23},
    {"PWR", 0x4000'7000, 0x400, Kind::pwr, apb1, 28},
    {"TIM1", 0x4001'0000, 0x400, Kind::timer, apb2, 0, 25, 16, 1},
    {"USART1", 0x4001'1000, 0x400, Kind::usart, apb2, 4, 37, 0, 1},
    {"USART6", 0x4001'1400, 0x400, Kind::usart, apb2, 5, 71, 0, 1},
    {"ADC1", 0x4001'2000, 0x400, Kind::kept, apb2, 8},
    {"SDIO", 0x4001'2C00, 0x400, Kind::kept, apb2, 11},
    {"SPI1", 0x4001'3000, 0x400, Kind::kept, apb2, 12},
    {"SPI4", 0x4001'3400, 0x400, Kind::kept, apb2, 13},
    {"SYSCFG", 0x4001'3800, 0x400, Kind::syscfg, apb2, 14},
    {"EXTI", 0x4001'3C00, 0x400, Kind::exti},
    {"TIM9", 0x4001'4000, 0x400, Kind::timer, apb2, 16, 24, 16, 1},
    {"TIM10", 0x4001'4400, 0x400, Kind::timer, apb2, 17, 25, 16, 1},
    {"TIM11", 0x4001'4800, 0x400, Kind::timer, apb2, 18, 26, 16, 1},
    {"SPI5", spi5, 0x400, Kind::kept, apb2, 20},
    {"GPIOA", 0x4002'0000, 0x400, Kind::gpio, ahb1, 0, 0xFFFF, 0},
    {"GPIOB", 0x4002'0400, 0x400, Kind::gpio, ahb1, 1, 0xFFFF, 1},
    {"GPIOC", 0x4002'0800, 0x400, Kind::gpio, ahb1, 2, 0xFFFF, 2},
    {"GPIOD", 0x4002'0C00, 0x400, Kind::gpio, ahb1, 3, 0xFFFF, 3},
    {"GPIOE", 0x4002'1000, 0x400, Kind::gpio, ahb1, 4, 0xFFFF, 4},
    {"GPIOH", 0x4002'1C00, 0x400, Kind::gpio, ahb1, 7, 0xFFFF, 7},
    {"CRC", 0x4002'3000, 0x400, Kind::kept, ahb1, 12},
    {"RCC", 0x4002'3800, 0x400, Kind::rcc},
    {"FLASH", 0x4002'3C00, 0x400, Kind::flash},
    {"DMA1", 0x4002'6000, 0x400, Kind::kept, ahb1, 21},
    {"DMA2", 0x4002'6400, 0x400, Kind::kept, ahb1, 22},
    {"OTG_FS", 0x5000'0000, 0x4'0000, Kind::kept, ahb2, 7},
};

// Further parts of the F446.
std::vector<Peripheral> of_f446() {
    std::vector<Peripheral> found;
    auto is_shared = [](const Peripheral &it) { return it.base != spi5; };
    std::copy_if(of_f411.begin(), of_f411.end(), std::back_inserter(found), is_shared);
    const std::vector<Peripheral> more{
        {"TIM6", 0x4000'1000, 0x400, Kind::timer, apb1, 4, 54, 16, 0},
        {"TIM7", 0x4000'1400, 0x400, Kind::timer, apb1, 5, 55, 16, 0},
        {"TIM12", 0x4000'1800, 0x400, Kind::timer, apb1, 6, 43, 16, 0},
        {"TIM13", 0x4000'1C00, 0x400, Kind::timer, apb1, 7, 44, 16, 0},
        {"TIM14", 0x4000'2000, 0x400, Kind::timer, apb1, 8, 45, 16, 0},
        {"SPDIFRX", 0x4000'4000, 0x400, Kind::kept, apb1, 16},
        {"USART3", 0x4000'4800, 0x400, Kind::usart, apb1, 18, 39},
        {"UART4", 0x4000'4C00, 0x400, Kind::usart, apb1, 19, 52},
        {"UART5", 0x4000'5000, 0x400, Kind::usart, apb1, 20, 53},
        {"FMPI2C1", 0x4000'6000, 0x400, Kind::kept, apb1, 24},
        {"CAN1", 0x4000'6400, 0x400, Kind::kept, apb1, 25},
        {"CAN2", 0x4000'6800, 0x400, Kind::kept, apb1, 26},
        {"HDMI_CEC", 0x4000'6C00, 0x400, Kind::kept, apb1, 27},
        {"DAC", 0x4000'7400, 0x400, Kind::kept, apb1, 29},
        {"TIM8", 0x4001'0400, 0x400, Kind::timer, apb2, 1, 44, 16, 1},
        {"SAI1", 0x4001'5800, 0x400, Kind::kept, apb2, 22},
        {"SAI2", 0x4001'5C00, 0x400, Kind::kept, apb2, 23},
        {"GPIOF", 0x4002'1400, 0x400, Kind::gpio, ahb1, 5, 0xFFFF, 5},
        {"GPIOG", 0x4002'1800, 0x400, Kind::gpio, ahb1, 6, 0xFFFF, 6},
        {"OTG_HS", 0x4004'0000, 0x4'0000, Kind::kept, ahb1, 29},
        {"DCMI", 0x5005'0000, 0x400, Kind::kept, ahb2, 0},
        {"FMC", 0xA000'0000, 0x400},
        {"QUADSPI", 0xA000'1000, 0x400},
    };
    found.insert(found.end(), more.begin(), more.end());
    return found;
}

// With system memory, and the option bytes.
const std::vector<Memory::Part> stm32_devices{{0x4000'0000, 0x8'0000},
                                              {0x5000'0000, 0x5'1000},
                                              {0x1FFF'0000, 0x8000},
                                              {0x1FFF'C000, 0x1000},
                                              {0xA000'0000, 0x2000}};

void add_spi(std::vector<Reset> &found, std::uint32_t base) {
    for (Reset of : {Reset{8, 2}, Reset{0x10, 7}, Reset{0x20, 2}}) // SR, CRCPR, I2SPR
        found.push_back({base + of.address, of.value});
}

// Of registers that only keep what is stored, as in ST's SVD files; FLASH_OPTCR, OTG_FS_GRSTCTL,
// CAN_BTR and SAI's xSR as in RM0390, where these files have 0 or nothing that a chip shows.
std::vector<Reset> resets_of_both() {
    std::vector<Reset> found{
        {0x1FFF'7A22, 512},         // KB of flash
        {0x4000'2C00, 0x7F},        // WWDG: CR, CFR
        {0x4000'2C04, 0x7F},        //
        {0x4000'3008, 0xFFF},       // IWDG_RLR
        {0x4001'2024, 0xFFF},       // ADC1_HTR
        {0x4002'3000, 0xFFFF'FFFF}, // CRC_DR
        {0x4002'3C14, 0x0FFF'AAED}, // FLASH_OPTCR
        {0x5000'0010, 0x8000'0000}, // OTG_FS_GRSTCTL: idle
    };
    for (std::uint32_t spi : {0x4000'3800, 0x4000'3C00, 0x4001'3000, 0x4001'3400})
        add_spi(found, spi);
    for (std::uint32_t i2c : {0x4000'5400, 0x4000'5800, 0x4000'5C00})
        found.push_back({i2c + 0x20, 2}); // TRISE
    for (std::uint32_t dma : {0x4002'6000, 0x4002'6400})
        for (std::uint32_t stream = 0; stream < 8; ++stream)
            found.push_back({dma + 0x24 + 0x18 * stream, 0x21}); // SxFCR
    return found;
}

std::vector<Reset> resets_of_f411() {
    auto found = resets_of_both();
    add_spi(found, spi5);
    return found;
}

std::vector<Reset> resets_of_f446() {
    auto found = resets_of_both();
    for (Reset of : {Reset{0x4001'2124, 0xFFF}, Reset{0x4001'2224, 0xFFF}, // ADC2_HTR, ADC3_HTR
                     Reset{0x4000'6018, 1}})                               // FMPI2C1_ISR
        found.push_back(of);
    for (std::uint32_t can : {0x4000'6400, 0x4000'6800})
        for (Reset of :
             {Reset{0, 0x1'0002}, Reset{4, 0xC02}, Reset{8, 0x1C00'0000}, Reset{0x1C, 0x0123'0000},
              Reset{0x200, 0x2A1C'0E01}}) // MCR, MSR, TSR, BTR, FMR
            found.push_back({can + of.address, of.value});
    for (std::uint32_t block : {0x4001'5804, 0x4001'5824, 0x4001'5C04, 0x4001'5C24})
        for (Reset of : {Reset{0, 0x40}, Reset{8, 7}, Reset{0x14, 8}}) // SAI: xCR1, xFRCR, xSR
            found.push_back({block + of.address, of.value});
    return found;
}

const std::vector<Chip> chips{
    {"f446",
     "STM32F446",
     {0x0800'0000, 0x8'0000},
     {0x2000'0000, 0x2'0000},
     true,
     {},
     stm32_devices,
     0,
     97,
     4,
     8,
     true,
     true,
     16'000'000,
     0x1000'6421,
     of_f446(),
     resets_of_f446()},
    {"f411",
     "STM32F411",
     {0x0800'0000, 0x8'0000},
     {0x2000'0000, 0x2'0000},
     true,
     {},
     stm32_devices,
     0,
     86,
     4,
     8,
     true,
     true,
     16'000'000,
     0x1000'6431,
     of_f411,
     resets_of_f411()},
    {"lm3s6965evb",
     "LM3S6965",
     {0, 0x4'0000},
     {0x2000'0000, 0x1'0000},
     false,
     {},
     {{0x4000'0000, 0x10'0000}},
     0,
     44,
     3,
     1,
     false,
     false,
     12'500'000,
     0,
     {{"UART0", 0x4000'C000, 0x1000, Kind::pl011, 0xFF, 0, 5},
      {"UART1", 0x4000'D000, 0x1000, Kind::pl011, 0xFF, 0, 6},
      {"UART2", 0x4000'E000, 0x1000, Kind::pl011, 0xFF, 0, 33},
      {"System Control", 0x400F'E000, 0x1000, Kind::system_control}},
     {}},
    {"mps2-an386",
     "MPS2 with AN386",
     {0, 0x40'0000},
     {0x2000'0000, 0x40'0000},
     false,
     {{0x2100'0000, 0x100'0000}},
     {{0x4000'0000, 0x10'0000}},
     0,
     32,
     3,
     1,
     true,
     false,
     25'000'000,
     0,
     {{"UART0", 0x4000'4000, 0x1000, Kind::cmsdk_uart, 0xFF, 0, 0},
      {"UART1", 0x4000'5000, 0x1000, Kind::cmsdk_uart, 0xFF, 0, 2}},
     {}},
};

} // namespace

const Chip &chip_named(const std::string &name) {
    std::string known;
    for (const auto &chip : chips) {
        if (name == chip.name)
            return chip;
        known += (known.empty() ? "" : ", ") + std::string(chip.name);
    }
    refuse("there is no board " + name + "; there are: " + known);
}

} // namespace twin::stm32f4
