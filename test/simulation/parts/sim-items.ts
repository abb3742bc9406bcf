/**
 * The rows that Postgres keeps of items other than events, as far as it counts them. All of them
 * change with the commit of a range.
 */
import type { RangeOutput } from '../../../workers/digest/range.ts'
import { type StoredItem, sessionsPerSum } from './free-items.ts'

type Taken = Pick<RangeOutput, 'sessionSums' | 'checkIns' | 'feedback'>

export class SimItems {
  readonly #sums = new Map<string, { readonly projectId: number; name: string; exited: number }>()
  readonly #checkIns: { readonly projectId: number; readonly name: string }[] = []
  /** By id; the first feedback of an id is kept. */
  readonly #feedback = new Map<string, { readonly projectId: number; readonly name: string }>()

  commit({ sessionSums, checkIns, feedback }: Taken): void {
    for (const { projectId, release, exited } of sessionSums) {
      const key = `${projectId} ${release}`
      const sum = this.#sums.get(key) ?? { projectId, name: release, exited: 0 }
      this.#sums.set(key, { ...sum, exited: sum.exited + exited })
    }
    for (const { projectId, slug } of checkIns) this.#checkIns.push({ projectId, name: slug })
    for (const { projectId, id } of feedback) {
      const key = `${projectId} ${id}`
      if (!this.#feedback.has(key)) this.#feedback.set(key, { projectId, name: id })
    }
  }

  stored(): StoredItem[] {
    return [
      ...[...this.#sums.values()].map(({ projectId, name, exited }) => {
        const count = exited / sessionsPerSum
        return { kind: 'sessions' as const, projectId, name, count }
      }),
      ...this.#checkIns.map((each) => ({ kind: 'check_in' as const, ...each, count: 1 })),
      ...[...this.#feedback.values()].map((each) => ({
        kind: 'feedback' as const,
        ...each,
        count: 1,
      })),
    ]
  }
}
