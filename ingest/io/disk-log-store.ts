/**
 * Logs on disk. The folder of a living process is `<boot id>`, with a file that names the process; one that was taken
 * over is `<boot id>@<boot id of who has it>`. Taking over is one rename, so of several who try one succeeds.
 *
 *   <base>/<boot id>/owner.json      pid, start and host of the process; its time says when it was last alive
 *   <base>/<boot id>/00000001.log    frames end to end (schemas/bus/frame.ts)
 */
import { constants, readFileSync, readlinkSync } from 'node:fs'
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '#platform/clock.ts'
import type { LogFolder, LogStore, StoredSegment } from '../log/log-store.ts'

const Owner = z.object({ pid: z.number().int(), startMark: z.string(), host: z.string() })

const ownerFile = 'owner.json'
const folderName = /^([0-9a-f]{32})(?:@([0-9a-f]{32}))?$/
const segmentName = /^(\d{8})\.log$/
/** On another host a process is seen only by its beat. */
const silentMsMax = 60_000

export class DiskLogStore implements LogStore {
  readonly #base: string
  readonly #clock: Clock

  constructor(base: string, clock: Clock) {
    this.#base = base
    this.#clock = clock
  }

  async create(bootId: string): Promise<LogFolder> {
    const path = join(this.#base, bootId)
    const unfinished = join(this.#base, `new-${bootId}`)
    await mkdir(unfinished, { recursive: true, mode: 0o700 })
    const owner = { pid: process.pid, startMark: startMark(process.pid), host: hostMark() }
    await writeFile(join(unfinished, ownerFile), JSON.stringify(owner))
    // It is there with its owner or not at all: nobody takes it for one that was left behind.
    await rename(unfinished, path)
    return new DiskLogFolder(bootId, path, this.#clock)
  }

  async adopt(byBootId: string): Promise<LogFolder | undefined> {
    for (const name of (await readdir(this.#base)).sort()) {
      const [, bootId, adopterId] = folderName.exec(name) ?? []
      const ownerId = adopterId ?? bootId
      if (bootId === undefined || ownerId === undefined || ownerId === byBootId) continue
      if (await this.#isAlive(ownerId)) continue
      const path = join(this.#base, `${bootId}@${byBootId}`)
      try {
        await rename(join(this.#base, name), path)
      } catch (error) {
        if (isMissing(error)) continue
        throw error
      }
      return new DiskLogFolder(bootId, path, this.#clock)
    }
    return undefined
  }

  async #isAlive(bootId: string): Promise<boolean> {
    const path = join(this.#base, bootId, ownerFile)
    try {
      const owner = ownerOf(await readFile(path, 'utf8'))
      if (owner?.host === hostMark()) return startMark(owner.pid) === owner.startMark
      const { mtimeMs } = await stat(path)
      return this.#clock.nowMs() < mtimeMs + silentMsMax
    } catch (error) {
      // Nobody is named there: whoever it was has been taken over. Any other error tells nothing.
      if (isMissing(error)) return false
      throw error
    }
  }
}

/** Undefined when a power cut has left the file empty. */
function ownerOf(text: string): z.infer<typeof Owner> | undefined {
  try {
    return Owner.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

class DiskLogFolder implements LogFolder {
  readonly bootId: string
  readonly #path: string
  readonly #clock: Clock
  #open: { readonly no: number; readonly file: FileHandle } | undefined

  constructor(bootId: string, path: string, clock: Clock) {
    this.bootId = bootId
    this.#path = path
    this.#clock = clock
  }

  async append(segmentNo: number, parts: readonly Uint8Array[]): Promise<void> {
    const file = await this.#segment(segmentNo)
    let left = parts.filter((part) => part.length > 0)
    while (left.length > 0) {
      const { bytesWritten } = await file.writev(left)
      left = behind(left, bytesWritten)
    }
  }

  async segments(): Promise<StoredSegment[]> {
    const segments: StoredSegment[] = []
    for (const name of (await readdir(this.#path)).sort()) {
      const no = segmentName.exec(name)?.[1]
      if (no === undefined) continue
      segments.push({ no: Number(no), bytes: (await stat(join(this.#path, name))).size })
    }
    return segments
  }

  read(segmentNo: number): Promise<Buffer> {
    return readFile(this.#segmentPath(segmentNo))
  }

  async removeSegment(segmentNo: number): Promise<void> {
    if (this.#open?.no === segmentNo) await this.close()
    await rm(this.#segmentPath(segmentNo), { force: true })
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

  /** Every write returns when the bytes are on the disk (O_DSYNC). */
  async #segment(no: number): Promise<FileHandle> {
    if (this.#open?.no === no) return this.#open.file
    await this.close()
    const { O_WRONLY, O_CREAT, O_APPEND, O_DSYNC } = constants
    const flags = O_WRONLY | O_CREAT | O_APPEND | (O_DSYNC ?? constants.O_SYNC)
    const file = await open(this.#segmentPath(no), flags, 0o600)
    this.#open = { no, file }
    // The name of a new file is as important as its bytes.
    const folder = await open(this.#path, constants.O_RDONLY)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
    return file
  }

  #segmentPath(no: number): string {
    return join(this.#path, `${String(no).padStart(8, '0')}.log`)
  }
}

/** What is left of the parts behind so many bytes. */
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

/** Where the number of a process means the same process: one start of one machine, and one container on it. */
function hostMark(): string {
  return [
    hostname(),
    systemText(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    systemText(() => readlinkSync('/proc/self/ns/pid')),
  ]
    .join(' ')
    .trim()
}

function systemText(read: () => string): string {
  try {
    return read().trim()
  } catch {
    return ''
  }
}

/** When the process was started, as the system counts; empty when there is none. Tells two apart that had one pid. */
function startMark(pid: number): string {
  if (process.platform !== 'linux') return isThere(pid) ? String(pid) : ''
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything, so count from its end.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    // One that has ended and was not waited for writes nothing any more.
    return fields[0] === 'Z' || fields[0] === 'X' ? '' : (fields[19] ?? '')
  } catch {
    return ''
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'EEXIST' || code === 'ENOTEMPTY'
}
