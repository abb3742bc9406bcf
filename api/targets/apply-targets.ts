/** Stores what `planTargets` decided. */
import { v7 as uuidv7 } from 'uuid'
import type { SecretBox } from '#platform/secret-box.ts'
import type { Database } from '../database.ts'
import type { TargetPlan } from './plan-targets.ts'
import { sealTarget } from './sealed-target.ts'
import { shownTarget } from './shown-target.ts'
import {
  addTarget,
  deleteTargets,
  setTargetEnabled,
  setTargetSettings,
  type TargetOwner,
} from './target-store.ts'

/** Returns the secrets of new webhooks, which are shown once, by the id of the target. */
export async function applyTargets(
  { pg, box }: { readonly pg: Database; readonly box: Pick<SecretBox, 'seal'> },
  owner: TargetOwner,
  { targets, deleted }: Extract<TargetPlan, { kind: 'plan' }>,
): Promise<ReadonlyMap<string, string>> {
  const secrets = new Map<string, string>()
  await deleteTargets(pg, deleted)
  for (const { id: known, content, isEnabled, newSecret } of targets) {
    const id = known ?? uuidv7()
    if (newSecret !== undefined) secrets.set(id, newSecret)
    if (content !== undefined) {
      const { target } = content
      const stored = { id, shown: shownTarget(target), sealed: sealTarget(box, id, content) }
      if (known === undefined) {
        await addTarget(pg, owner, { ...stored, type: target.type, isEnabled: isEnabled ?? true })
        continue
      }
      await setTargetSettings(pg, stored)
    }
    if (isEnabled !== undefined) await setTargetEnabled(pg, { id, isEnabled })
  }
  return secrets
}
