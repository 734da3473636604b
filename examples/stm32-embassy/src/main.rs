//! A task of embassy that an edge at PC13 wakes; PG1 is high while it works. It knows nothing of
//! irqscope.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use embassy_stm32::exti::{ExtiInput, InterruptHandler};
use embassy_stm32::gpio::{Level, Output, Pull, Speed};
use embassy_stm32::{Config, bind_interrupts, interrupt, rcc, time::Hertz};
use panic_halt as _;

bind_interrupts!(struct Interrupts {
    EXTI15_10 => InterruptHandler<interrupt::typelevel::EXTI15_10>;
});

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn woken(count: u32) -> u32 {
    core::hint::black_box(count + 1)
}

/// 180 MHz from the crystal of 8 MHz.
fn clocks() -> rcc::Config {
    let mut clocks = rcc::Config::new();
    clocks.hse = Some(rcc::Hse {
        freq: Hertz(8_000_000),
        mode: rcc::HseMode::Oscillator,
    });
    clocks.pll_src = rcc::PllSource::HSE;
    clocks.pll = Some(rcc::Pll {
        prediv: rcc::PllPreDiv::DIV4,
        mul: rcc::PllMul::MUL180,
        divp: Some(rcc::PllPDiv::DIV2),
        divq: None,
        divr: None,
    });
    clocks.sys = rcc::Sysclk::PLL1_P;
    clocks.apb1_pre = rcc::APBPrescaler::DIV4;
    clocks.apb2_pre = rcc::APBPrescaler::DIV2;
    clocks
}

#[embassy_executor::main]
async fn main(_spawner: Spawner) -> ! {
    let mut config = Config::default();
    config.rcc = clocks();
    let board = embassy_stm32::init(config);
    let mut line = ExtiInput::new(board.PC13, board.EXTI13, Pull::Down, Interrupts);
    let mut working = Output::new(board.PG1, Level::Low, Speed::High);
    let mut count = 0;
    loop {
        line.wait_for_rising_edge().await;
        working.set_high();
        count = woken(count);
        working.set_low();
    }
}
