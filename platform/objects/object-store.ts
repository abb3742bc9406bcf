/** Files by their keys: in a folder, or below a prefix in a bucket. */
export interface ObjectEntry {
  readonly key: string
  readonly bytes: number
}

export interface ObjectStore {
  /** For people, without credentials. */
  readonly name: string
  /** Stores the whole file or nothing, and returns when it is durable. Replaces an old one. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Undefined when there is no such file. */
  get(key: string): Promise<Buffer | undefined>
  /** Every file whose key begins with the prefix, which ends with a slash. */
  list(prefix: string): AsyncIterable<ObjectEntry>
  /** Removing what does not exist is no error. */
  remove(key: string): Promise<void>
  /** Removes what an interrupted `put` left behind. */
  sweep(): Promise<void>
}
