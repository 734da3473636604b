//! RTIC: the handler of GPIOA spawns a software task, which shares a counter with a task above
//! it. It knows nothing of irqscope.
#![no_std]
#![no_main]

use panic_halt as _;

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn on_line() {
    core::hint::black_box(());
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn woken(count: u32) -> u32 {
    core::hint::black_box(count + 1)
}

#[rtic::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    #[shared]
    struct Shared {
        count: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0 }, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[task(binds = GPIOA, priority = 2)]
    fn line(_: line::Context) {
        crate::on_line();
        work::spawn().ok();
    }

    #[task(binds = UART0, priority = 3, shared = [count])]
    fn reset(mut context: reset::Context) {
        context.shared.count.lock(|count| *count = 0);
    }

    #[task(priority = 1, shared = [count])]
    async fn work(mut context: work::Context) {
        context
            .shared
            .count
            .lock(|count| *count = crate::woken(*count));
    }
}
