/** `portal …-secret`: the secrets with which a project's own site signs the tokens of its users. */
import { createSecret } from '../../../portal/secrets/create-secret.ts'
import { listSecrets, secretView } from '../../../portal/secrets/enduser-secret-store.ts'
import { retireSecret } from '../../../portal/secrets/retire-secret.ts'
import { tryToken } from '../../../portal/secrets/try-token.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { projectFlag } from '../../named-project.ts'
import { idIn, orUnknown, projectAndActor } from '../project-actor.ts'
import { namedPortal } from './named-portal.ts'

export const portalSecretVerbs: readonly VerbPlan[] = [
  {
    verb: 'list-secrets',
    aliases: ['secrets'],
    operation: 'listPortalSecrets',
    summary: 'List the secrets of a portal',
    flags: projectFlag,
    run: async (run) => {
      const { projectId } = await projectAndActor(run)
      return (await listSecrets(run.session.pg, projectId)).map(secretView)
    },
  },
  {
    verb: 'create-secret',
    aliases: ['make-secret'],
    operation: 'createPortalSecret',
    summary: 'Create a secret that signs tokens of users, and print it once',
    flags: projectFlag,
    run: async (run) => {
      const { projectId, actor } = await projectAndActor(run)
      const { row, secret } = await createSecret(await withBox(run), actor, { projectId })
      return { ...secretView(row), secret }
    },
  },
  {
    verb: 'retire-secret',
    operation: 'retirePortalSecret',
    summary: 'Retire a secret; tokens that it signed are not valid any more',
    operand: 'id',
    flags: projectFlag,
    run: async (run) => {
      const id = idIn(run)
      const { projectId, actor } = await projectAndActor(run)
      const sentence = `No secret of this portal is called ${id}: see \`portal list-secrets\`.`
      const retired = retireSecret(run.session, actor, { projectId, id })
      return secretView(await orUnknown(sentence, retired))
    },
  },
  {
    verb: 'try-token',
    operation: 'tryPortalToken',
    summary: 'Print which user a token names, or why it is not valid',
    operand: 'token',
    flags: projectFlag,
    run: async (run) => {
      const portal = await namedPortal(run)
      return { ...(await tryToken(await withBox(run), portal, run.flags.token ?? '')) }
    },
  },
]

async function withBox({ session }: Run) {
  return { pg: session.pg, clock: session.clock, box: await session.box() }
}
