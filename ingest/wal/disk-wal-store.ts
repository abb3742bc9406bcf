/**
 * Write-ahead logs on disk. The folder of a live process is `<instance id>` and has a file that
 * identifies the process. An adopted folder is `<instance id>@<instance id of the adopter>`;
 * adopting is one rename, so only one of several processes succeeds. Logs of other installations
 * are never adopted.
 *
 *   <base>/installation.json               the owner of these logs (claim-wal-base.ts)
 *   <base>/<instance id>/owner.json        pid, start and host of the process; its mtime is the
 *                                          last heartbeat
 *   <base>/<instance id>/00000001.log      a header (segment-header.ts), then frames end to end
 *                                          (schemas/bus/frame.ts)
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
  /** Folder where earlier versions kept the logs of all installations on the machine. */
  readonly formerBase?: string
  /**
   * Whether this installation knows the instance. Decides about logs of versions that wrote no
   * installation id.
   */
  readonly isOwnInstance: (instanceId: string) => Promise<boolean>
  /**
   * Whether the instance published to a layout of the bus that no longer exists, so that its frames
   * cannot be sent.
   */
  readonly isOfFormerLayout: (instanceId: string) => Promise<boolean>
  /** Called once for each log of a dead process that has frames and is not adopted. */
  readonly onLeftAlone: (log: LeftWal) => void
}

export interface LeftWal {
  readonly path: string
  readonly instanceId: string
  /** Undefined when the log has no installation id. */
  readonly installationId: string | undefined
  readonly isOfFormerLayout: boolean
}

const folderName = /^([0-9a-f]{32})(?:@([0-9a-f]{32}))?$/

export class DiskWalStore implements WalStore {
  readonly #options: DiskWalOptions
  /** Paths of logs that were left alone. */
  readonly #leftAlone = new Set<string>()
  #leftAloneCount = 0

  constructor(options: DiskWalOptions) {
    this.#options = options
  }

  /** The folder of all logs. */
  get base(): string {
    return this.#options.base
  }

  /**
   * Number of logs with frames that were left alone because they belong to another installation.
   */
  get leftAloneCount(): number {
    return this.#leftAloneCount
  }

  /** Throws `ForeignInstallationError` when another installation owns the folder. */
  async create(instanceId: string): Promise<WalFolder> {
    const { base, clock, installationId } = this.#options
    await claimWalBase(base, { installationId, processName: instanceId })
    const path = join(base, instanceId)
    const unfinished = join(base, `new-${instanceId}`)
    await mkdir(unfinished, { recursive: true, mode: 0o700 })
    await writeFile(join(unfinished, ownerFile), JSON.stringify(thisProcess(installationId)))
    // Renamed last, so that a folder never exists without its owner file and is never mistaken for
    // an abandoned one.
    await rename(unfinished, path)
    return new DiskWalFolder({ instanceId, path, clock, installationId })
  }

  async adopt(byInstanceId: string): Promise<WalFolder | undefined> {
    const { base, clock, installationId } = this.#options
    for (const { path, instanceId, ownerId } of await this.#folders()) {
      if (ownerId === byInstanceId || this.#leftAlone.has(path)) continue
      if ((await this.#isAlive(ownerId)) || !(await this.#isOwn(path, instanceId))) continue
      // Always below our own base, where earlier versions do not look: they would miss the owner
      // file beside it.
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

  /** One segment of another installation is enough to leave the whole folder alone. */
  async #isOwn(path: string, instanceId: string): Promise<boolean> {
    const own = this.#options.installationId
    let named: (string | undefined)[]
    try {
      const inFolder = await readWalOwner(path)
      named = [inFolder?.installation, ...(await segmentOwners(path))]
    } catch (error) {
      // Another process has adopted it meanwhile.
      if (isMissing(error)) return false
      throw error
    }
    const foreign = named.find((id) => id !== undefined && id !== own)
    const isMarked = named.some((id) => id !== undefined)
    const isOwn =
      foreign === undefined && (isMarked || (await this.#options.isOwnInstance(instanceId)))
    const isOfFormerLayout = isOwn && (await this.#options.isOfFormerLayout(instanceId))
    if (isOwn && !isOfFormerLayout) return true
    this.#leftAlone.add(path)
    const isEmpty = named.length === 1
    if (isEmpty) return false
    this.#leftAloneCount += 1
    this.#options.onLeftAlone({
      path,
      instanceId: instanceId,
      installationId: foreign,
      isOfFormerLayout,
    })
    return false
  }
}

/** Empty when the folder does not exist. */
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
