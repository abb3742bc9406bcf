/**
 * A project or an organization that somebody watches: the versions that were read last, and the
 * latest changes, for clients that come back.
 */
import type { LiveChange } from '#schemas/rest/live.ts'
import { compareVersions, isActivityMissing, mergeChanges } from './compare-versions.ts'
import type { VersionPart, Versions } from './version-store.ts'

const changesKeptMax = 200

interface KeptChange {
  readonly position: number
  readonly change: LiveChange
}

export class Watch {
  readonly id: string
  /** Undefined: it is an organization. */
  readonly dsnId: number | string | undefined
  #versions: Map<VersionPart, string> | undefined
  #kept: KeptChange[] = []
  /** Changes after this position are known. */
  #since = 0

  constructor(id: string, dsnId: number | string | undefined) {
    this.id = id
    this.dsnId = dsnId
  }

  /** Whether it was read before, so that later changes are seen. */
  get isRead(): boolean {
    return this.#versions !== undefined
  }

  /** Returns what changed since it was read last; nothing the first time. */
  read(versions: readonly Versions[], position: number): readonly LiveChange[] {
    const before = this.#versions
    const next = new Map(versions.map(({ part, rows }) => [part, rows]))
    this.#versions = next
    if (before === undefined) {
      this.#since = position
      return []
    }
    const changes = [...next].flatMap(([part, rows]) =>
      compareVersions(part, before.get(part) ?? '', rows),
    )
    const [spanBefore = '', span = ''] = [before.get('activity_span'), next.get('activity_span')]
    if (this.dsnId !== undefined && isActivityMissing(spanBefore, span)) {
      changes.push({ topic: 'issues', ids: null })
    }
    return mergeChanges(changes)
  }

  keep(changes: readonly LiveChange[], position: number): void {
    this.#kept.push(...changes.map((change) => ({ position, change })))
    const dropped = this.#kept.splice(0, Math.max(0, this.#kept.length - changesKeptMax))
    this.#since = dropped.at(-1)?.position ?? this.#since
  }

  /** Undefined: it is not known what changed after the position. */
  changesAfter(position: number): readonly LiveChange[] | undefined {
    if (position < this.#since) return undefined
    return this.#kept.filter((kept) => position < kept.position).map(({ change }) => change)
  }
}
