/** `portal list-moderation` and `portal moderate-…`: pending ideas and comments. */
import { Decision } from '#schemas/rest/portal/moderation.ts'
import { moderateItem } from '../../../moderation/moderate-item.ts'
import { listQueue, type QueueKind } from '../../../moderation/moderation-store.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { projectFlag } from '../../named-project.ts'
import { UsageError } from '../../usage-error.ts'
import { idIn, orUnknown, projectAndActor } from '../project-actor.ts'

const queueShownMax = 100
const decisionFlags = {
  ...projectFlag,
  '--decision <decision>': 'approve, approve_and_trust, reject or block!',
  '--reason <text>': 'the reason of a rejection',
}

export const moderationVerbs: readonly VerbPlan[] = [
  {
    verb: 'list-moderation',
    aliases: ['queue'],
    operation: 'listModeration',
    summary: 'List pending ideas and comments, oldest first, at most 100',
    flags: projectFlag,
    run: async (run) => {
      const { projectId } = await projectAndActor(run)
      const query = { projectId, kind: undefined, after: undefined, rowsMax: queueShownMax }
      return (await listQueue(run.session.pg, query)).map((row) => ({
        kind: row.kind,
        id: row.id,
        title: row.title,
        text: row.text,
        enduser_id: row.enduserId,
        created_at: row.createdAt.toISOString(),
      }))
    },
  },
  {
    verb: 'moderate-idea',
    operation: 'moderateIdea',
    summary: 'Decide on a pending idea',
    operand: 'id',
    flags: decisionFlags,
    run: (run) => moderate(run, 'idea'),
  },
  {
    verb: 'moderate-comment',
    operation: 'moderateComment',
    summary: 'Decide on a pending comment',
    operand: 'id',
    flags: decisionFlags,
    run: (run) => moderate(run, 'comment'),
  },
  {
    verb: 'decide',
    isHidden: true,
    operation: 'moderateIdea',
    summary: 'Decide on a pending idea or comment',
    operand: 'id',
    flags: { ...decisionFlags, '--type <kind>': 'idea or comment!' },
    run: (run) => moderate(run, kindIn(run)),
  },
]

async function moderate(run: Run, kind: QueueKind) {
  const { decision, reason } = run.flags
  const wanted = Decision.parse({
    decision: check(Decision.shape.decision, '--decision', decision ?? ''),
    ...(reason === undefined ? {} : { reason }),
  })
  const id = idIn(run)
  const { projectId, actor } = await projectAndActor(run)
  const sentence = `No ${kind} of this project is called ${id}: see \`portal list-moderation\`.`
  const item = { projectId, kind, id, decision: wanted }
  const moderation = await orUnknown(sentence, moderateItem(run.session, actor, item))
  return { id, moderation }
}

function kindIn({ flags }: Run): QueueKind {
  if (flags.type === 'idea' || flags.type === 'comment') return flags.type
  throw new UsageError('--type is not valid: must be idea or comment.')
}
