/** Name resolution as tools receive it. */

/** All addresses of a name. @throws where the name has none; ToolFailed `busy`; the signal's reason when it aborts in the line */
export type Resolve = (host: string, signal?: AbortSignal) => Promise<readonly string[]>
