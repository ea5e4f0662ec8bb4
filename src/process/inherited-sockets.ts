/** File descriptors on which systemd listens in place of this program. */
interface InheritedSockets {
  /** The API's: the first one. */
  readonly api: number | undefined;
  /** The admin port's: the one that is named `admin`. */
  readonly admin: number | undefined;
}

/** The first descriptor that is handed over (sd_listen_fds(3), SD_LISTEN_FDS_START). */
const FIRST = 3;

/**
 * Finds the sockets that were handed over to a process by `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`
 * (sd_listen_fds(3)). Connections wait in them while the program is replaced.
 *
 * @param pid the process that `LISTEN_PID` must name: its children inherit the variables without the sockets
 */
export function inheritedSockets(
  { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES }: Readonly<Record<string, string | undefined>>,
  pid: number,
): InheritedSockets {
  const count = LISTEN_PID === String(pid) ? Number(LISTEN_FDS) : 0;
  const names = LISTEN_FDNAMES?.split(":") ?? [];
  const descriptors = Array.from({ length: count }, (_, index) => FIRST + index);
  const isAdmin = (descriptor: number) => names[descriptor - FIRST] === "admin";
  return {
    api: descriptors.find((descriptor) => !isAdmin(descriptor)),
    admin: descriptors.find(isAdmin),
  };
}
