import { z } from 'zod'
import { NewCampaign } from '#schemas/rest/email/campaign.ts'
import { createCampaign } from '../../campaigns/create-campaign.ts'
import { invalidFields } from '../../http/validation/invalid-field.ts'
import { checkValue } from '../../http/validation/validation-rules.ts'
import { shown } from '../shown.ts'
import { adding, defineTool } from '../tool.ts'

export const campaignTools = [
  defineTool({
    name: 'draft_campaign',
    title: 'Draft a campaign',
    description:
      'Creates a draft of a campaign email for a newsletter, from Markdown or HTML. It never sends or schedules: a person does that. The audit log names the access token.',
    scopes: ['issues:write'],
    annotations: adding,
    input: z.strictObject(NewCampaign.shape),
    run: async ({ ctx, caller, request }, fields) => {
      // The fields alone do not have the rule that there is exactly one of html and markdown.
      const campaign = checkValue(NewCampaign, fields, 'arguments')
      if (!campaign.success) throw invalidFields(campaign.errors)
      const { organizationId, label } = caller
      const actor = {
        organizationId,
        personId: null,
        name: label,
        via: 'token',
        ip: request.ip,
      } as const
      const draft = await createCampaign(ctx, actor, campaign.data)
      const { id, state, newsletter, archiveSlug } = draft
      return { data: { id, state, newsletter, subject: shown(draft.subject, 255), archiveSlug } }
    },
  }),
]
