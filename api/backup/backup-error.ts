/** A backup or restore that cannot be done. The message is one sentence with the way out. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}
