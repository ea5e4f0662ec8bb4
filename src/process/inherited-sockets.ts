/** File descriptors on which systemd listens in place of this program. */
export interface InheritedSockets {
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
 * @throws Error that says what to correct
 */
export function inheritedSockets(
  { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES }: Readonly<Record<string, string | undefined>>,
  pid: number,
): InheritedSockets {
  if (LISTEN_PID !== String(pid) || LISTEN_FDS === undefined) return { api: undefined, admin: undefined };
  if (!/^\d{1,4}$/.test(LISTEN_FDS)) {
    throw new Error("LISTEN_FDS must be the number of sockets that are handed over, e.g. 2");
  }
  const names = LISTEN_FDNAMES?.split(":") ?? [];
  const sockets = Array.from({ length: Number(LISTEN_FDS) }, (_, index) => ({
    fd: FIRST + index,
    name: names[index],
  }));
  return {
    api: sockets.find(({ name }) => name !== "admin")?.fd,
    admin: sockets.find(({ name }) => name === "admin")?.fd,
  };
}
