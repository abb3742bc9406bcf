import type { FieldError } from '#schemas/error-codes.ts'
import { parseOwnership } from '#schemas/ownership/parse-ownership.ts'
import type { OwnershipBody, OwnershipRules } from '#schemas/rest/ownership.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import { invalidFields } from '../http/validation/invalid-field.ts'
import type { StoredProject } from '../projects/project-store.ts'
import type { NamesContext } from '../search/require-known-names.ts'
import { describeOwnership } from './describe-ownership.ts'
import { readOwnership, writeOwnership } from './ownership-store.ts'

export interface UpdateOwnership {
  readonly project: Pick<StoredProject, 'id' | 'dsnId'>
  readonly body: OwnershipBody
}

/** Replaces the rules. They apply to issues that are new from now on. */
export async function updateOwnership(
  ctx: NamesContext,
  actor: Actor,
  { project, body }: UpdateOwnership,
): Promise<OwnershipRules> {
  const { rules, problems } = parseOwnership(body.rules)
  if (!body.skip_invalid) {
    const [first, ...others] = problems.map(
      ({ line, message }): FieldError => ({ field: 'rules', rule: `line ${line}: ${message}` }),
    )
    if (first !== undefined) throw invalidFields([first, ...others])
  }
  await ctx.pg.transaction(async (client) => {
    if ((await readOwnership(client, project.dsnId)) !== body.rules) {
      await addAudit(client, actor, {
        action: 'ownership.changed',
        subjectType: 'project',
        subjectId: project.id,
        details: { rules: rules.length, skipped_lines: problems.length },
      })
      await writeOwnership(client, project.dsnId, body.rules)
    }
  })
  return describeOwnership(ctx, project.dsnId, body.rules)
}
