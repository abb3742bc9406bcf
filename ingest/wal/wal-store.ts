/**
 * Where logs live: a folder for each ingest process, named by its boot id, with numbered files (segments) of frames
 * end to end. The port is small so that tests can put a disk behind it that tears, fills up and forgets.
 */
export interface WalStore {
  /** Makes the folder of this process and says that its owner lives. Throws when nothing can be written there. */
  create(instanceId: string): Promise<WalFolder>
  /**
   * Takes over the folder of one process that is dead, in one step: of several who try, one gets it. Undefined when there is
   * none. A process that stands still is not dead. Also a folder that a dead process had taken over counts.
   */
  adopt(byInstanceId: string): Promise<WalFolder | undefined>
}

export interface WalFolder {
  /** The process whose frames it holds. */
  readonly instanceId: string
  /**
   * Appends to a segment, which is made when it is not there. Once it resolves, the bytes survive a power cut; when it rejects,
   * any first part of them may be there.
   */
  append(segmentNo: number, parts: readonly Uint8Array[]): Promise<void>
  segments(): Promise<readonly StoredSegment[]>
  /** The whole of it. */
  read(segmentNo: number): Promise<Buffer>
  removeSegment(segmentNo: number): Promise<void>
  /** Says again that the owner lives, for those who cannot see its process. */
  beat(): Promise<void>
  /** Removes the folder and what is in it. */
  remove(): Promise<void>
  /** Lets go of open files; what is in the folder stays for whoever adopts it. */
  close(): Promise<void>
}

export interface StoredSegment {
  readonly no: number
  readonly bytes: number
}
