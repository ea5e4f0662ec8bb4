/** The first descriptor that is handed over (sd_listen_fds(3), SD_LISTEN_FDS_START). */
const FIRST = 3;

/**
 * Finds the descriptors on which systemd listens in place of a process (sd_listen_fds(3)): the admin port's is named
 * `admin`, the API's is the first of the others. Connections wait in them while the program is replaced.
 *
 * @param pid the process that `LISTEN_PID` must name: its children inherit the variables without the sockets
 */
export function inheritedSockets(
  { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES }: Readonly<Record<string, string | undefined>>,
  pid: number,
): { readonly api: number | undefined; readonly admin: number | undefined } {
  const count = LISTEN_PID === String(pid) ? Number(LISTEN_FDS) : 0;
  const names = LISTEN_FDNAMES?.split(":") ?? [];
  const descriptors = Array.from({ length: count }, (_, index) => FIRST + index);
  const isAdmin = (descriptor: number) => names[descriptor - FIRST] === "admin";
  return {
    api: descriptors.find((descriptor) => !isAdmin(descriptor)),
    admin: descriptors.find(isAdmin),
  };
}
