#ifndef MACHINE_PREDICTORS_H
#define MACHINE_PREDICTORS_H

/* Makes the branch predictors forget what they have learned. AArch64 has no operation for it:
 * there they are overwritten, for about 15 us, by many branches taken or not at random, indirect
 * ones to random targets, and calls, in 1 KB of code. */
void predictors_forget(void);

#endif
