/** The write-ahead log of one process on disk: a folder of numbered segments. */
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, readFile, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#platform/clock.ts'
import { KiB } from '#schemas/limits.ts'
import {
  decodeSegmentHeader,
  encodeSegmentHeader,
  type SegmentStart,
  segmentHeaderBytes,
} from './segment-header.ts'
import { ownerFile } from './wal-owner.ts'
import type { StoredSegment, WalFolder } from './wal-store.ts'

export interface DiskWalFolderOptions {
  readonly instanceId: string
  readonly path: string
  readonly clock: Clock
  readonly installationId: string
}

/** Not a segment, so that a process which adopts the folder ignores it. */
const checkFile = 'check'
/** As much as a few frames, so that the last free block of a full disk does not suffice. */
const checkBytes = 256 * KiB

const segmentName = /^(\d{8})\.log$/

export class DiskWalFolder implements WalFolder {
  readonly instanceId: string
  readonly #path: string
  readonly #clock: Clock
  readonly #header: Buffer
  #open: { readonly no: number; readonly file: FileHandle; isEmpty: boolean } | undefined

  constructor(options: DiskWalFolderOptions) {
    this.instanceId = options.instanceId
    this.#path = options.path
    this.#clock = options.clock
    this.#header = encodeSegmentHeader({
      installationId: options.installationId,
      instanceId: options.instanceId,
    })
  }

  async append(segmentNo: number, parts: readonly Uint8Array[]): Promise<void> {
    const open = await this.#segment(segmentNo)
    const frames = parts.filter((part) => part.length > 0)
    let left = open.isEmpty ? [this.#header, ...frames] : frames
    open.isEmpty = false
    while (left.length > 0) {
      const { bytesWritten } = await open.file.writev(left)
      left = behind(left, bytesWritten)
    }
  }

  async segments(): Promise<StoredSegment[]> {
    const segments: StoredSegment[] = []
    for (const name of (await readdir(this.#path)).sort()) {
      const no = segmentName.exec(name)?.[1]
      if (no === undefined) continue
      const { size, header } = await startOf(join(this.#path, name))
      segments.push({ no: Number(no), bytes: size - header.bytes })
    }
    return segments
  }

  async read(segmentNo: number): Promise<Buffer> {
    const file = await readFile(this.#segmentPath(segmentNo))
    return file.subarray(decodeSegmentHeader(file).bytes)
  }

  async removeSegment(segmentNo: number): Promise<void> {
    if (this.#open?.no === segmentNo) await this.close()
    await rm(this.#segmentPath(segmentNo), { force: true })
  }

  async check(): Promise<void> {
    const path = join(this.#path, checkFile)
    const file = await open(path, 'w', 0o600)
    try {
      await file.write(Buffer.alloc(checkBytes, 1))
      await file.sync()
    } finally {
      await file.close()
      await rm(path, { force: true })
    }
  }

  async beat(): Promise<void> {
    const now = new Date(this.#clock.nowMs())
    await utimes(join(this.#path, ownerFile), now, now)
  }

  async remove(): Promise<void> {
    await this.close()
    await rm(this.#path, { recursive: true, force: true })
  }

  async close(): Promise<void> {
    const open = this.#open
    this.#open = undefined
    await open?.file.close()
  }

  /** Opens with O_DSYNC: a write returns when its bytes are on the disk. */
  async #segment(no: number) {
    if (this.#open?.no === no) return this.#open
    await this.close()
    const { O_WRONLY, O_CREAT, O_APPEND, O_DSYNC } = constants
    const flags = O_WRONLY | O_CREAT | O_APPEND | (O_DSYNC ?? constants.O_SYNC)
    const file = await open(this.#segmentPath(no), flags, 0o600)
    const opened = { no, file, isEmpty: (await file.stat()).size === 0 }
    this.#open = opened
    // Syncs the folder, because the name of a new file must be durable too.
    const folder = await open(this.#path, constants.O_RDONLY)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
    return opened
  }

  #segmentPath(no: number): string {
    return join(this.#path, `${String(no).padStart(8, '0')}.log`)
  }
}

/** The parts that remain after this number of bytes. */
function behind(parts: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skip = bytes
  const left: Uint8Array[] = []
  for (const part of parts) {
    if (part.length <= skip) skip -= part.length
    else {
      left.push(part.subarray(skip))
      skip = 0
    }
  }
  return left
}

/** Installation ids in the segments of a folder, in order; undefined for segments without one. */
export async function segmentOwners(folder: string): Promise<(string | undefined)[]> {
  const owners: (string | undefined)[] = []
  for (const name of (await readdir(folder)).sort()) {
    if (!segmentName.test(name)) continue
    owners.push((await startOf(join(folder, name))).header.owner?.installationId)
  }
  return owners
}

async function startOf(path: string): Promise<{ size: number; header: SegmentStart }> {
  const file = await open(path, constants.O_RDONLY)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(segmentHeaderBytes), 0, undefined, 0)
    return { size, header: decodeSegmentHeader(buffer.subarray(0, bytesRead)) }
  } finally {
    await file.close()
  }
}
