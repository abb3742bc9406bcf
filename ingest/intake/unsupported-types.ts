/**
 * Bounds the number of distinct `unsupported:<type>` reasons. Types of the protocol always keep
 * their name. Types that clients invent keep theirs up to a number per project; the rest is
 * `other`.
 */
import type { ProjectId } from '#schemas/ids.ts'
import { unsupportedReason } from '#schemas/outcome.ts'
import { isKnownItemType } from '#schemas/wire/item-types.ts'

const inventedTypesPerProjectMax = 50
const projectsMax = 10_000

export class UnsupportedTypes {
  readonly #invented = new Map<ProjectId, Set<string>>()

  reasonFor(projectId: ProjectId, type: string): string {
    const reason = unsupportedReason(type)
    if (isKnownItemType(type)) return reason
    let reasons = this.#invented.get(projectId)
    if (reasons === undefined) {
      if (this.#invented.size >= projectsMax) this.#invented.clear()
      reasons = new Set()
      this.#invented.set(projectId, reasons)
    }
    if (reasons.has(reason)) return reason
    if (reasons.size >= inventedTypesPerProjectMax) return 'unsupported:other'
    reasons.add(reason)
    return reason
  }
}
