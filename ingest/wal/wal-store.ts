/**
 * Storage of write-ahead logs: a folder for each ingest process, named by its instance id, with
 * numbered files (segments) of frames end to end. The interface is small so that tests can simulate
 * disks that tear writes, fill up and lose data.
 */
export interface WalStore {
  /**
   * Creates the folder of this process with its owner file. Rejects when the folder cannot be
   * written.
   */
  create(instanceId: string): Promise<WalFolder>
  /**
   * Adopts the folder of one dead process atomically: of several callers one gets it. Undefined
   * when there is none. A suspended process is not dead. Folders that a dead process had adopted
   * are included.
   */
  adopt(byInstanceId: string): Promise<WalFolder | undefined>
}

export interface WalFolder {
  /** The instance whose frames the folder contains. */
  readonly instanceId: string
  /**
   * Appends to a segment, which is created when missing. When it resolves, the bytes survive a
   * power failure. When it rejects, any prefix of them may have been written.
   */
  append(segmentNo: number, parts: readonly Uint8Array[]): Promise<void>
  segments(): Promise<readonly StoredSegment[]>
  /** The frames of the segment, without its header. */
  read(segmentNo: number): Promise<Buffer>
  removeSegment(segmentNo: number): Promise<void>
  /** Rejects while bytes cannot be written to the folder. Leaves nothing behind. */
  check(): Promise<void>
  /** Renews the heartbeat for processes that cannot observe this one. */
  beat(): Promise<void>
  /** Removes the folder and its contents. */
  remove(): Promise<void>
  /** Closes open files. The folder's contents stay for the process that adopts it. */
  close(): Promise<void>
}

export interface StoredSegment {
  readonly no: number
  readonly bytes: number
}
