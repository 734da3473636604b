//! RTIC: the handler of PC13's edge spawns a software task. PG0 is high in the handler, PG1 while
//! the task works. It knows nothing of irqscope.
#![no_std]
#![no_main]

use panic_halt as _;

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn woken(count: u32) -> u32 {
    core::hint::black_box(count + 1)
}

#[rtic::app(device = stm32f4::stm32f446, dispatchers = [SPI1])]
mod app {
    use stm32f4::stm32f446::{EXTI, FLASH, GPIOG, PWR, Peripherals, RCC};

    #[shared]
    struct Shared {
        count: u32,
    }

    #[local]
    struct Local {
        exti: EXTI,
    }

    /// 180 MHz from the crystal of 8 MHz, 5 wait states, caches and prefetch.
    fn set_clocks(rcc: &RCC, pwr: &PWR, flash: &FLASH) {
        rcc.apb1enr().modify(|_, w| w.pwren().set_bit());
        rcc.cr().modify(|_, w| w.hseon().set_bit());
        while rcc.cr().read().hserdy().bit_is_clear() {}
        rcc.pllcfgr().modify(|_, w| {
            w.pllsrc().hse().pllp().div2();
            unsafe { w.pllm().bits(4).plln().bits(180) }
        });
        rcc.cr().modify(|_, w| w.pllon().set_bit());
        pwr.cr().modify(|_, w| w.oden().set_bit());
        while pwr.csr().read().odrdy().bit_is_clear() {}
        pwr.cr().modify(|_, w| w.odswen().set_bit());
        while pwr.csr().read().odswrdy().bit_is_clear() {}
        while rcc.cr().read().pllrdy().bit_is_clear() {}
        flash
            .acr()
            .write(|w| w.latency().ws5().prften().set_bit().icen().set_bit().dcen().set_bit());
        rcc.cfgr()
            .modify(|_, w| w.ppre1().div4().ppre2().div2().sw().pll());
        while !rcc.cfgr().read().sws().is_pll() {}
    }

    #[init]
    fn init(context: init::Context) -> (Shared, Local) {
        let chip: Peripherals = context.device;
        set_clocks(&chip.RCC, &chip.PWR, &chip.FLASH);
        chip.RCC
            .ahb1enr()
            .modify(|_, w| w.gpiocen().set_bit().gpiogen().set_bit());
        chip.RCC.apb2enr().modify(|_, w| w.syscfgen().set_bit());
        chip.GPIOG
            .moder()
            .modify(|_, w| w.moder0().output().moder1().output());
        chip.SYSCFG
            .exticr4()
            .modify(|_, w| unsafe { w.exti13().bits(2) });
        chip.EXTI.rtsr().modify(|_, w| w.tr13().set_bit());
        chip.EXTI.imr().modify(|_, w| w.mr13().set_bit());
        (Shared { count: 0 }, Local { exti: chip.EXTI })
    }

    /// Pins of GPIOG, whose set and reset register is written whole.
    fn pins() -> &'static stm32f4::stm32f446::gpioh::RegisterBlock {
        unsafe { &*GPIOG::ptr() }
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[task(binds = EXTI15_10, priority = 2, local = [exti])]
    fn line(context: line::Context) {
        pins().bsrr().write(|w| w.bs0().set_bit());
        context.local.exti.pr().write(|w| w.pr13().clear_bit_by_one());
        work::spawn().ok();
        pins().bsrr().write(|w| w.br0().set_bit());
    }

    #[task(binds = TIM2, priority = 3, shared = [count])]
    fn reset(mut context: reset::Context) {
        context.shared.count.lock(|count| *count = 0);
    }

    #[task(priority = 1, shared = [count])]
    async fn work(mut context: work::Context) {
        pins().bsrr().write(|w| w.bs1().set_bit());
        context
            .shared
            .count
            .lock(|count| *count = crate::woken(*count));
        pins().bsrr().write(|w| w.br1().set_bit());
    }
}
