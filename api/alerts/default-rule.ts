/**
 * The rule that every project begins with. A person may change or delete it; it does not come back.
 * Projects that are older than alert rules got it by schemas/postgres/0041-alerts.sql.
 */
import { v7 as uuidv7 } from 'uuid'
import type { ProjectId } from '#schemas/ids.ts'
import type { StoredConditions } from '#schemas/rest/alerts/alert.ts'
import type { Database } from '../database.ts'
import { addTarget } from '../targets/target-store.ts'
import { addRule } from './alert-store.ts'

const conditions: StoredConditions = {
  // A regression is also the end of ignoring.
  when: [{ type: 'new_issue' }, { type: 'regression' }, { type: 'escalation' }],
  if: { level: ['error', 'fatal'] },
  quiet_hours: null,
}

export async function addDefaultRule(
  client: Database,
  { organizationId, projectId }: { readonly organizationId: string; readonly projectId: ProjectId },
): Promise<void> {
  const ruleId = uuidv7()
  await addRule(client, {
    id: ruleId,
    projectId,
    name: 'New and returned errors',
    enabled: true,
    conditions,
    cooldown_seconds: 1_800,
    digest_seconds: 600,
    muted_until: null,
    isDefault: true,
  })
  await addTarget(
    client,
    { organizationId, ruleId },
    {
      id: uuidv7(),
      type: 'email',
      shown: { type: 'email', to: ['owners'] },
      sealed: null,
      isEnabled: true,
    },
  )
}
