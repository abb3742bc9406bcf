/**
 * Logs on disk. The folder of a living process is `<instance id>`, with a file that names the process; one that was taken
 * over is `<instance id>@<instance id of who has it>`. Taking over is one rename, so of several who try one succeeds.
 * Logs of another installation are left where they are.
 *
 *   <base>/installation.json               whose logs these are (claim-log-base.ts)
 *   <base>/<instance id>/owner.json        pid, start and host of the process; its time says when it was last alive
 *   <base>/<instance id>/00000001.log      a header (log/segment-header.ts), then frames end to end (schemas/bus/frame.ts)
 */
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#platform/clock.ts'
import { claimWalBase } from './claim-wal-base.ts'
import { DiskWalFolder, segmentOwners } from './disk-wal-folder.ts'
import { isOwnerAlive, ownerFile, readWalOwner, thisProcess } from './wal-owner.ts'
import type { WalFolder, WalStore } from './wal-store.ts'

export interface DiskWalOptions {
  readonly base: string
  readonly clock: Clock
  readonly installationId: string
  /** Where earlier versions kept the logs of every installation that was started in one place. */
  readonly formerBase?: string
  /** Whether this installation knows the process: decides about logs of versions that did not write whose they are. */
  readonly isOwnInstance: (instanceId: string) => Promise<boolean>
  /** The log of a dead process, with frames in it, was not taken over; called once for each. */
  readonly onLeftAlone: (log: LeftWal) => void
}

export interface LeftWal {
  readonly path: string
  readonly instanceId: string
  /** Undefined when the log does not say it. */
  readonly installationId: string | undefined
}

const folderName = /^([0-9a-f]{32})(?:@([0-9a-f]{32}))?$/

export class DiskWalStore implements WalStore {
  readonly #options: DiskWalOptions
  /** Paths. */
  readonly #leftAlone = new Set<string>()
  #leftAloneCount = 0

  constructor(options: DiskWalOptions) {
    this.#options = options
  }

  /** Logs with frames that were left alone, because they are not this installation's. */
  get leftAloneCount(): number {
    return this.#leftAloneCount
  }

  /** Throws `ForeignInstallationError` when the folder of logs belongs to another installation. */
  async create(instanceId: string): Promise<WalFolder> {
    const { base, clock, installationId } = this.#options
    await claimWalBase(base, { installationId, processName: instanceId })
    const path = join(base, instanceId)
    const unfinished = join(base, `new-${instanceId}`)
    await mkdir(unfinished, { recursive: true, mode: 0o700 })
    await writeFile(join(unfinished, ownerFile), JSON.stringify(thisProcess(installationId)))
    // It is there with its owner or not at all: nobody takes it for one that was left behind.
    await rename(unfinished, path)
    return new DiskWalFolder({ instanceId, path, clock, installationId })
  }

  async adopt(byInstanceId: string): Promise<WalFolder | undefined> {
    const { base, clock, installationId } = this.#options
    for (const { path, instanceId, ownerId } of await this.#folders()) {
      if (ownerId === byInstanceId || this.#leftAlone.has(path)) continue
      if ((await this.#isAlive(ownerId)) || !(await this.#isOwn(path, instanceId))) continue
      // Always below our own base: out of the sight of earlier versions, which would look for our owner file beside it.
      const adopted = join(base, `${instanceId}@${byInstanceId}`)
      try {
        await rename(path, adopted)
      } catch (error) {
        if (isMissing(error)) continue
        throw error
      }
      return new DiskWalFolder({ instanceId, path: adopted, clock, installationId })
    }
    return undefined
  }

  get #bases(): string[] {
    const { base, formerBase } = this.#options
    return formerBase === undefined ? [base] : [base, formerBase]
  }

  async #folders() {
    const folders: { path: string; instanceId: string; ownerId: string }[] = []
    for (const base of this.#bases) {
      for (const name of (await namesIn(base)).sort()) {
        const [, instanceId, adopterId] = folderName.exec(name) ?? []
        if (instanceId === undefined) continue
        folders.push({ path: join(base, name), instanceId, ownerId: adopterId ?? instanceId })
      }
    }
    return folders
  }

  async #isAlive(instanceId: string): Promise<boolean> {
    const nowMs = this.#options.clock.nowMs()
    for (const base of this.#bases)
      if (await isOwnerAlive(join(base, instanceId), nowMs)) return true
    return false
  }

  /** A single segment of another installation is enough to leave the whole folder alone. */
  async #isOwn(path: string, instanceId: string): Promise<boolean> {
    const own = this.#options.installationId
    let named: (string | undefined)[]
    try {
      const inFolder = await readWalOwner(path)
      named = [inFolder?.installation, ...(await segmentOwners(path))]
    } catch (error) {
      // Taken over by somebody else meanwhile.
      if (isMissing(error)) return false
      throw error
    }
    const foreign = named.find((id) => id !== undefined && id !== own)
    const isMarked = named.some((id) => id !== undefined)
    if (foreign === undefined && isMarked) return true
    if (foreign === undefined && (await this.#options.isOwnInstance(instanceId))) return true
    this.#leftAlone.add(path)
    const isEmpty = named.length === 1
    if (isEmpty) return false
    this.#leftAloneCount += 1
    this.#options.onLeftAlone({ path, instanceId: instanceId, installationId: foreign })
    return false
  }
}

/** A folder that is not there holds nothing. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'EEXIST' || code === 'ENOTEMPTY'
}
