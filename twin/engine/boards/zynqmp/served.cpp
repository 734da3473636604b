#include "boards/zynqmp/served.h"

#include "boards/zynqmp/clocks.h"
#include "core/command_line.h"
#include "core/gateware.h"
#include "core/stop.h"
#include "devices/gpio_banks.h"
#include "generated/machines.h"
#include "shells/emio.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace twin::zynqmp {

namespace {

namespace facts = machines::zynqmp;

constexpr unsigned lines = facts::shared_ids.size();
constexpr unsigned first_bank = 3;

// Between two accesses: that of the controller (`gpio_spacing` of the profiles is of this size).
constexpr Time spacing = 100 * per_ns;

// A request: bit 31 for a store, the register's offset; the value of a store.
using Request = std::array<std::uint32_t, 2>;
constexpr std::uint32_t store_bit = 1u << 31;

// A line as uio_pdrv_genirq has it: an interrupt disables itself, counts, and can be read; software
// enables it again by a 1.
struct UioLine {
    int ours = -1;
    bool level = false, enabled = true;
    std::uint32_t count = 0;

    void look() {
        if (!level || !enabled)
            return;
        enabled = false;
        ++count;
        // Of an agent that has gone the connection tells.
        [[maybe_unused]] auto sent = send(ours, &count, sizeof count, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
};

class Server {
  public:
    Server(const Served &options, const std::atomic<bool> &quit, int wake)
        : quit_(quit), wake_(wake), trace_(options.trace),
          gateware_(
              std::make_unique<EmioShell>(
                  EmioShell::Identity{options.source_id, options.source_hash, options.tick_hz},
                  true),
              {100 * pl_tick, true}, true, trace_, quit,
              {[this](unsigned line, bool level, Time) { drive(line, level); },
               [](unsigned, Time) {}},
              nullptr) {}

    // Until the agent goes.
    void run(int agent) {
        connect(agent);
        while (!quit_ && agent_ >= 0) {
            advance(now());
            wait();
            answer();
            for (auto &line : uio_)
                hear(line);
        }
        disconnect();
    }

    void flush() { trace_.flush(); }

  private:
    Time now() const {
        auto since = std::chrono::steady_clock::now() - begun_;
        return static_cast<Time>(
                   std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()) *
               per_ns;
    }

    void drive(unsigned line, bool level) {
        if (line >= lines) // no core has a line of its own here
            return;
        uio_[line].level = level;
        uio_[line].look();
    }

    void advance(Time to) {
        while (gateware_.run_until(to) && !quit_) {
        }
    }

    // The next access is not before this; time has then come as far.
    Time take_port() {
        free_ = std::max(now(), free_) + spacing;
        advance(free_ - spacing);
        return free_ - spacing;
    }

    // Until a message comes or the gateware's next output is due.
    void wait() const {
        Time next = gateware_.next_output(), at = now();
        Time ahead = next == never ? never : next > at ? (next - at) / per_ns : 0;
        timespec time{};
        constexpr std::uint64_t second = 1'000'000'000;
        time.tv_sec = static_cast<time_t>(std::min<std::uint64_t>(ahead / second, 3600));
        time.tv_nsec = static_cast<long>(ahead % second);
        std::array<pollfd, lines + 2> looks{};
        looks[0] = {agent_, POLLIN, 0};
        looks[1] = {wake_, POLLIN, 0};
        for (unsigned line = 0; line < lines; ++line)
            looks[line + 2] = {uio_[line].ours, POLLIN, 0};
        ppoll(looks.data(), looks.size(), ahead == never ? nullptr : &time, nullptr);
    }

    // One access, if one was asked for.
    void answer() {
        Request request{};
        auto length = recv(agent_, request.data(), sizeof request, MSG_DONTWAIT);
        if (length < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        auto reg = banks_.find(request[0] & ~store_bit);
        bool stores = (request[0] & store_bit) != 0;
        if (length != sizeof request || !reg ||
            (stores ? !reg->is_writable() : !reg->is_readable())) {
            close(agent_);
            agent_ = -1;
            return;
        }
        Time at = take_port();
        if (stores) {
            banks_.store(*reg, request[1]);
            gateware_.set_pins(at, banks_.pins());
            return;
        }
        std::uint32_t value = banks_.load(*reg, gateware_.pins_at(at));
        [[maybe_unused]] auto sent = send(agent_, &value, sizeof value, MSG_NOSIGNAL);
    }

    static void hear(UioLine &line) {
        std::uint32_t enable = 0;
        while (recv(line.ours, &enable, sizeof enable, MSG_DONTWAIT) == sizeof enable) {
            line.enabled = enable != 0;
            line.look();
        }
    }

    void connect(int agent) {
        agent_ = agent;
        std::array<int, lines> theirs{};
        for (unsigned line = 0; line < lines; ++line) {
            std::array<int, 2> ends{};
            if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
                refuse("no socket for a line");
            uio_[line] = {ends[0], uio_[line].level, true, 0};
            theirs[line] = ends[1];
        }
        char first = 0;
        iovec part{&first, sizeof first};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof theirs)> control{};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof theirs);
        std::memcpy(CMSG_DATA(header), theirs.data(), sizeof theirs);
        [[maybe_unused]] auto sent = sendmsg(agent_, &message, MSG_NOSIGNAL);
        for (int end : theirs)
            close(end);
        for (auto &line : uio_)
            line.look();
    }

    void disconnect() {
        if (agent_ >= 0)
            close(agent_);
        agent_ = -1;
        for (auto &line : uio_)
            close(line.ours);
    }

    const std::atomic<bool> &quit_;
    const int wake_;
    const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    Trace trace_;
    std::array<UioLine, lines> uio_{};
    GpioBanks banks_{first_bank};
    Time free_ = 0;
    int agent_ = -1;
    Gateware gateware_;
};

int listen_at(const std::string &path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        refuse("the socket has too long a path: " + path);
    path.copy(address.sun_path, path.size());
    int listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (listening < 0 ||
        bind(listening, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0 ||
        listen(listening, 1) != 0)
        refuse("cannot listen at " + path + ": " + std::strerror(errno));
    return listening;
}

} // namespace

void serve(const Served &options, const std::atomic<bool> &quit, int wake, std::ostream &out) {
    Server server(options, quit, wake);
    int listening = listen_at(options.socket);
    out << "{\"port\": " << json_string(options.socket) << ", \"profile\": \"\"}" << std::endl;
    while (!quit) {
        std::array<pollfd, 2> looks{{{listening, POLLIN, 0}, {wake, POLLIN, 0}}};
        poll(looks.data(), looks.size(), -1);
        int agent = quit ? -1 : accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
        if (agent >= 0)
            server.run(agent);
    }
    server.flush();
    unlink(options.socket.c_str());
}

} // namespace twin::zynqmp
