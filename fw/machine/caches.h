/* Caches by set and way: for one running core only, because a line can move between caches while
 * another core runs coherently (Arm DDI 0487, set/way). Each core empties its own first level; the
 * second is all cores'. */
#ifndef MACHINE_CACHES_H
#define MACHINE_CACHES_H

/* Cleans and invalidates every data and unified cache, invalidates the instruction cache. */
void caches_flush(void);

/* Cleans and invalidates the data caches; the unified second level alone (it keeps what the
 * first level does not give up); or the first level, then the second. */
void caches_flush_level1(void);
void caches_flush_level2(void);
void caches_flush_both(void);

/* Turns SCTLR.C and .I on. The caches hold nothing then: see caches_off and start-up. */
void caches_on(void);

/* Turns SCTLR.C and .I off and leaves every cache empty. */
void caches_off(void);

#endif
