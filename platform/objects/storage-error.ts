/** A file could not be stored or read. The message is one sentence that names the reason. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
}
