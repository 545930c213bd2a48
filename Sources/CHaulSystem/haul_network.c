#define _GNU_SOURCE
#include "haul_system.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#endif

// connect(2) of a datagram socket only looks up the route.
static int has_route(const struct sockaddr *address, socklen_t length) {
#ifdef SOCK_CLOEXEC
    int descriptor = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
#else
    int descriptor = socket(address->sa_family, SOCK_DGRAM, 0);
#endif
    if (descriptor < 0) return 0;
    int result = connect(descriptor, address, length) == 0;
    close(descriptor);
    return result;
}

int32_t haul_has_route(void) {
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(443)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(443)};
    inet_pton(AF_INET, "1.1.1.1", &four.sin_addr);
    inet_pton(AF_INET6, "2606:4700:4700::1111", &six.sin6_addr);
    return has_route((const struct sockaddr *)&four, sizeof four)
        || has_route((const struct sockaddr *)&six, sizeof six);
}

int32_t haul_is_cut_off(const char *host) {
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    int code = getaddrinfo(host, "443", &hints, &found);
    if (code != 0) {
        // The name does not exist: that is not the fault of the network.
        int is_final = code == EAI_NONAME;
#ifdef EAI_NODATA
        is_final = is_final || code == EAI_NODATA;
#endif
        return !is_final;
    }
    int is_reachable = 0;
    for (struct addrinfo *each = found; each && !is_reachable; each = each->ai_next)
        is_reachable = has_route(each->ai_addr, each->ai_addrlen);
    freeaddrinfo(found);
    return !is_reachable;
}

int32_t haul_network_changes(int32_t *descriptor) {
#ifdef __linux__
    int opened = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (opened < 0) return -1;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
    };
    if (bind(opened, (const struct sockaddr *)&address, sizeof address) != 0) {
        int code = errno;
        close(opened);
        errno = code;
        return -1;
    }
    *descriptor = opened;
    return 0;
#else
    (void)descriptor;
    errno = ENOSYS;
    return -1;
#endif
}
