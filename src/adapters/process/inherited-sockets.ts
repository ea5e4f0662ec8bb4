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
  // A descriptor behind all names has none.
  const isAdmin = [...names, ""].map((name) => name === "admin");
  const find = (admin: boolean) => {
    const index = isAdmin.indexOf(admin);
    return index >= 0 && index < count ? FIRST + index : undefined;
  };
  return { api: find(false), admin: find(true) };
}
