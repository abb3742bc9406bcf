/** `/api/v1/p/{project_key}`: what visitors of a portal read and write, behind one gate. */
import { registerPortalComments } from '../comments/comment-routes.ts'
import type { ApiContext } from '../context.ts'
import { registerFeedbackIntake } from '../feedback/feedback-intake-route.ts'
import type { ApiInstance } from '../http/route.ts'
import { registerIdeaReads } from '../ideas/idea-read-routes.ts'
import { registerIdeaWrites } from '../ideas/idea-write-routes.ts'
import { addPortalGate } from './gate/portal-gate.ts'

export async function registerPortal(app: ApiInstance, ctx: ApiContext): Promise<void> {
  addPortalGate(app, ctx)
  registerIdeaReads(app, ctx)
  registerIdeaWrites(app, ctx)
  registerPortalComments(app, ctx)
  registerFeedbackIntake(app, ctx)
}
