#include "machine/linux/programs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine/linux/refuse.h"
#include "machine/programs.h"

#define PROGRAMS 4
#define NAME_MOST 32
#define COMMAND_MOST 120 /* the run stores it, in one line with what the kernel says */
#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyz0123456789-_"
#define LINE_MOST 512
#define STOP_NS 2000000000 /* a program that has not ended by then is killed */
#define PAUSE_NS 10000000
#define SHELL_FAILED 127

static struct {
    char text[NAME_MOST + 2 + COMMAND_MOST + 1];
    const char *command;
} programs[PROGRAMS];
static unsigned count;
static pid_t running; /* 0: none; it is the leader of its session */

static void pause_for(long ns) { (void)nanosleep(&(struct timespec){.tv_nsec = ns}, NULL); }

void programs_allow(const char *definition) {
    size_t name = strspn(definition, NAME_LETTERS);
    const char *command = definition + name + 1;
    if (name == 0 || name > NAME_MOST || definition[name] != '=' || *command == '\0')
        refuse("--background takes NAME=COMMAND, the name of small letters and digits", definition);
    for (const char *byte = command; *byte != '\0'; byte++)
        if (*byte < ' ' || *byte > '~' || *byte == ';' || byte - command >= COMMAND_MOST)
            refuse("--background takes 120 characters of ASCII, without a semicolon; write a "
                   "script for more",
                   definition);
    for (unsigned n = 0; n < count; n++)
        if (strncmp(programs[n].text, definition, name) == 0 && programs[n].text[name] == ':')
            refuse("--background allows two programs of one name", definition);
    if (count == PROGRAMS)
        refuse("--background allows 4 programs", definition);
    (void)snprintf(programs[count].text, sizeof programs[count].text, "%.*s: %s", (int)name,
                   definition, command);
    programs[count].command = programs[count].text + name + 2;
    count++;
}

unsigned programs_count(void) { return count; }

const char *programs_text(unsigned number) { return programs[number - 1].text; }

/* ---- processes of a session ------------------------------------------------------------------ */

/* The session of a process, or 0 if it has ended. */
static pid_t session_of(const char *number) {
    char path[NAME_MOST * 2], line[LINE_MOST] = "";
    char state = 'Z';
    int session = 0;
    (void)snprintf(path, sizeof path, "/proc/%.16s/stat", number);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    (void)fgets(line, sizeof line, file);
    (void)fclose(file);
    const char *name_end = strrchr(line, ')'); /* a name may hold anything */
    if (name_end == NULL || sscanf(name_end + 1, " %c %*d %*d %d", &state, &session) != 2)
        return 0;
    return state == 'Z' ? 0 : session;
}

/* Sends a signal to all processes of a session but one, whatever groups they have made; 0: counts
 * them only. Returns how many they are. */
static unsigned signal_session(pid_t session, pid_t spared, int signal_number) {
    unsigned others = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        pid_t process = (pid_t)strtol(entry->d_name, NULL, 10);
        if (process <= 0 || process == spared || session_of(entry->d_name) != session)
            continue;
        others++;
        (void)kill(process, signal_number);
    }
    if (folder != NULL)
        (void)closedir(folder);
    return others;
}

/* ---- in the child, which has one thread ------------------------------------------------------ */

static volatile sig_atomic_t orphaned;

static void note_orphaned(int number) {
    (void)number;
    orphaned = 1;
}

/* Undoes what the agent has for itself: a program is an ordinary one, on any CPU. */
static void be_ordinary(void) {
    cpu_set_t cpus;
    memset(&cpus, 0xFF, sizeof cpus);
    (void)sched_setaffinity(0, sizeof cpus, &cpus);
    (void)sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGUSR1, SIG_DFL);
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && nothing >= 0; fd++)
        (void)dup2(nothing, fd);
}

static void end_if_orphaned(pid_t agent) {
    if (orphaned == 0 && getppid() == agent)
        return;
    (void)signal_session(getpid(), getpid(), SIGKILL);
    _exit(0);
}

/* Runs the command again and again until it fails. If the agent dies, its session ends. */
static _Noreturn void supervise(const char *command, pid_t agent) {
    struct sigaction action = {.sa_handler = note_orphaned}; /* without SA_RESTART */
    (void)setsid();
    (void)sigaction(SIGHUP, &action, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGHUP);
    be_ordinary();
    for (;;) {
        int status = 0;
        end_if_orphaned(agent);
        pid_t child = fork();
        if (child == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
            (void)signal(SIGHUP, SIG_DFL);
            (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
            _exit(SHELL_FAILED);
        }
        while (child > 0 && waitpid(child, &status, 0) < 0)
            end_if_orphaned(agent);
        if (child < 0 || status != 0)
            _exit(WIFEXITED(status) && status != 0 ? WEXITSTATUS(status) : SHELL_FAILED);
        pause_for(PAUSE_NS); /* a program that ends at once does not fork without end */
    }
}

/* ---- in the agent ---------------------------------------------------------------------------- */

void programs_start(unsigned number) {
    programs_stop();
    if (number == 0)
        return;
    pid_t agent = getpid(), child = fork();
    if (child == 0)
        supervise(programs[number - 1].command, agent);
    if (child < 0)
        refuse("a program in the background cannot be started", strerror(errno));
    running = child;
}

bool programs_run(int *status) {
    siginfo_t ended = {0};
    bool known =
        running != 0 && waitid(P_PID, (id_t)running, &ended, WEXITED | WNOHANG | WNOWAIT) == 0;
    *status = ended.si_status;
    return known && ended.si_pid == 0;
}

void programs_stop(void) {
    if (running == 0)
        return;
    (void)kill(running, SIGSTOP); /* what ends is not started again */
    (void)signal_session(running, running, SIGTERM);
    for (long waited = 0; waited < STOP_NS && signal_session(running, running, 0) > 0;
         waited += PAUSE_NS)
        pause_for(PAUSE_NS);
    (void)signal_session(running, running, SIGKILL);
    (void)kill(running, SIGKILL);
    (void)waitpid(running, NULL, 0);
    running = 0;
}
