/** Where backups lie: a folder, or a prefix in a bucket. */
export interface PlaceEntry {
  readonly key: string
  readonly bytes: number
}

export interface Place {
  /** For people, without credentials. */
  readonly name: string
  /** Stores the whole file or nothing, and returns when it is durable. Replaces an old one. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Undefined when there is no such file. */
  get(key: string): Promise<Buffer | undefined>
  /** Every file whose key begins with the prefix, which ends with a slash. */
  list(prefix: string): AsyncIterable<PlaceEntry>
  /** Removing what does not exist is no error. */
  remove(key: string): Promise<void>
  /** Removes what an interrupted `put` left behind. */
  sweep(): Promise<void>
}

export const objectsPrefix = 'objects/'
export const manifestsPrefix = 'manifests/'
export const locksPrefix = 'locks/'

export function objectKey(sha256: string): string {
  return `${objectsPrefix}${sha256.slice(0, 2)}/${sha256}`
}

export function manifestKey(id: string): string {
  return `${manifestsPrefix}${id}.json`
}
