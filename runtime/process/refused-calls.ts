/** System calls of Linux that no sandboxed program needs, and with which one could escape or exceed its limits. */

export interface CallTable {
  /** The architecture's number for seccomp (linux/audit.h). */
  architecture: number
  /** Answered as if the kernel did not have them. */
  refused: Readonly<Record<string, number>>
  /** These depend on their arguments. */
  clone: number
  ioctl: number
  socket: number
}

/** From 424 on a call has the same number everywhere. */
const newer = {
  ...{ io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427 },
  ...{ open_tree: 428, move_mount: 429, fsopen: 430, fsconfig: 431, fsmount: 432, fspick: 433, mount_setattr: 442 },
  // A filter cannot see its flags, which are in memory. Libraries fall back to clone.
  clone3: 435,
  ...{ pidfd_getfd: 438, quotactl_fd: 443, memfd_secret: 447 },
}

/** Later calls (this one is mseal, Linux 6.10) were not examined, and are refused. */
export const lastKnownCall = 462

/**
 * Tracing and memory of other processes; mounts and roots; keys; extending, observing or replacing the kernel; namespaces;
 * the machine's clocks, names and devices; memory that is not counted to a process: memfd, System V segments, queues.
 */
const x64: CallTable = {
  architecture: 0xc000003e,
  refused: {
    ...{ ptrace: 101, process_vm_readv: 310, process_vm_writev: 311, kcmp: 312 },
    ...{ mount: 165, umount2: 166, pivot_root: 155, chroot: 161, name_to_handle_at: 303, open_by_handle_at: 304 },
    ...{ add_key: 248, request_key: 249, keyctl: 250 },
    ...{ bpf: 321, perf_event_open: 298, userfaultfd: 323, kexec_load: 246, kexec_file_load: 320 },
    ...{ init_module: 175, finit_module: 313, delete_module: 176, unshare: 272, setns: 308 },
    ...{ settimeofday: 164, clock_settime: 227, adjtimex: 159, clock_adjtime: 305, sethostname: 170 },
    ...{ setdomainname: 171, reboot: 169, swapon: 167, swapoff: 168, acct: 163, quotactl: 179, syslog: 103 },
    ...{ vhangup: 153, personality: 135, lookup_dcookie: 212, iopl: 172, ioperm: 173, modify_ldt: 154 },
    ...{ memfd_create: 319, shmget: 29, msgget: 68 },
    ...newer,
  },
  ...{ clone: 56, ioctl: 16, socket: 41 },
}

const arm64: CallTable = {
  architecture: 0xc00000b7,
  refused: {
    ...{ ptrace: 117, process_vm_readv: 270, process_vm_writev: 271, kcmp: 272 },
    ...{ mount: 40, umount2: 39, pivot_root: 41, chroot: 51, name_to_handle_at: 264, open_by_handle_at: 265 },
    ...{ add_key: 217, request_key: 218, keyctl: 219 },
    ...{ bpf: 280, perf_event_open: 241, userfaultfd: 282, kexec_load: 104, kexec_file_load: 294 },
    ...{ init_module: 105, finit_module: 273, delete_module: 106, unshare: 97, setns: 268 },
    ...{ settimeofday: 170, clock_settime: 112, adjtimex: 171, clock_adjtime: 266, sethostname: 161 },
    ...{ setdomainname: 162, reboot: 142, swapon: 224, swapoff: 225, acct: 89, quotactl: 60, syslog: 116 },
    ...{ vhangup: 58, personality: 92, lookup_dcookie: 18 },
    ...{ memfd_create: 279, shmget: 194, msgget: 186 },
    ...newer,
  },
  ...{ clone: 220, ioctl: 29, socket: 198 },
}

/** By the names that Node has for architectures. */
export const callTables: Readonly<Record<string, CallTable>> = { x64, arm64 }
