/**
 * Applies a change to a draft: fields that are left out keep their values, and HTML replaces
 * Markdown or the other way round.
 */
import type { CampaignChange } from '#schemas/rest/email/campaign-admin.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { slugOfSubject } from './archive-slug.ts'
import type { CampaignEdit } from './campaign-store.ts'

/** Call `checkComposable` with the result before it is stored. */
export function editOf(campaign: CampaignEdit, change: CampaignChange): CampaignEdit {
  const subject = change.subject ?? campaign.subject
  const edit = {
    subject,
    previewText: 'previewText' in change ? (change.previewText ?? null) : campaign.previewText,
    archiveSlug:
      'archiveSlug' in change
        ? (change.archiveSlug ?? slugOfSubject(subject))
        : campaign.archiveSlug,
    ...sourceOf(campaign, change),
  }
  if (edit.html === null && edit.markdown === null) {
    throw invalidField('html', 'must be given, or markdown instead')
  }
  return edit
}

function sourceOf(
  campaign: CampaignEdit,
  change: CampaignChange,
): Pick<CampaignEdit, 'html' | 'markdown'> {
  if (change.html) return { html: change.html, markdown: null }
  if (change.markdown) return { html: null, markdown: change.markdown }
  return {
    html: 'html' in change ? null : campaign.html,
    markdown: 'markdown' in change ? null : campaign.markdown,
  }
}
