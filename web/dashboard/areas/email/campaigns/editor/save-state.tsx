import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { ProblemBox } from '../../../../design/content/states.tsx'
import { Dialog } from '../../../../design/overlays/dialog.tsx'
import { asProblem, type ProblemDetail } from '../../../../http/problem.ts'
import { request } from '../../../../http/request.ts'
import type { SaveState } from './autosave.ts'
import type { CampaignDetail, Draft } from './use-draft.ts'

const words: Readonly<Record<SaveState['kind'], string>> = {
  saved: 'Saved',
  unsaved: 'Not saved yet',
  saving: 'Saving …',
  refused: 'Not saved',
  waiting: 'Not saved: trying again',
  conflict: 'Not saved: edited by somebody else',
  ended: 'Not saved',
}

export function SaveWord({ save }: { readonly save: SaveState }) {
  return (
    <span
      class="save-word"
      role="status"
      data-state={save.kind}
      title={'problem' in save ? save.problem.message : ''}
    >
      {words[save.kind]}
    </span>
  )
}

/** What keeps the draft from being saved, and the way out. */
export function SaveProblem({
  campaignId,
  draft,
}: {
  readonly campaignId: string
  readonly draft: Draft
}) {
  const { save } = draft
  const [isDeciding, setDeciding] = useState(false)
  if (save.kind === 'conflict') {
    return (
      <div class="save-problem" role="alert">
        <p>
          Somebody else has changed this draft. Your edits are kept on this page and are not saved
          until you choose.
        </p>
        <Button size="s" kind="primary" onClick={() => setDeciding(true)}>
          Compare and choose
        </Button>
        {isDeciding && (
          <ConflictDialog
            campaignId={campaignId}
            draft={draft}
            onClose={() => setDeciding(false)}
          />
        )}
      </div>
    )
  }
  if (save.kind === 'refused') {
    const details = asProblem(save.problem)?.details ?? []
    const named = details.filter(({ field }) => field !== 'subject' && field !== 'archiveSlug')
    if (details.length > 0 && named.length === 0) return null
    return (
      <div class="save-problem" role="alert">
        <p>{named.length === 0 ? save.problem.message : named.map(sentenceOf).join(' ')}</p>
      </div>
    )
  }
  if (save.kind === 'ended') return <ProblemBox problem={save.problem} />
  return null
}

function sentenceOf({ field, rule }: ProblemDetail): string {
  // Neither Markdown nor HTML is there.
  if (field === 'html' && rule.startsWith('must be given')) return 'The email needs some text.'
  return `The text ${rule}.`
}

function ConflictDialog({
  campaignId,
  draft,
  onClose,
}: {
  readonly campaignId: string
  readonly draft: Draft
  readonly onClose: () => void
}) {
  const [newer, setNewer] = useState<CampaignDetail>()
  const [problem, setProblem] = useState<Error>()
  if (newer === undefined && problem === undefined) {
    request('GET /api/v1/admin/email/campaigns/{campaign_id}', {
      params: { campaign_id: campaignId },
    }).then(setNewer, setProblem)
  }
  const choose = (decide: (version: CampaignDetail) => void) => {
    if (newer !== undefined) decide(newer)
    onClose()
  }
  return (
    <Dialog
      title="Two versions of this draft"
      size="l"
      onClose={onClose}
      footer={
        <>
          <Button disabled={newer === undefined} onClick={() => choose(draft.accept)}>
            Use the other version
          </Button>
          <Button
            kind="primary"
            disabled={newer === undefined}
            onClick={() => choose(draft.overwrite)}
          >
            Keep mine and replace the other
          </Button>
        </>
      }
    >
      {problem !== undefined && <ProblemBox problem={problem} />}
      {newer !== undefined && (
        <div class="columns-even">
          <Version
            title="Yours, not saved"
            subject={draft.fields.subject}
            previewText={draft.fields.previewText}
            text={draft.text}
          />
          <Version
            title="The other, saved"
            subject={newer.subject}
            previewText={newer.previewText}
            text={newer.html ?? newer.markdown ?? ''}
          />
        </div>
      )}
    </Dialog>
  )
}

function Version({
  title,
  subject,
  previewText,
  text,
}: {
  readonly title: string
  readonly subject: string
  readonly previewText: string | null
  readonly text: string
}) {
  return (
    <section class="stack" aria-label={title}>
      <h3>{title}</h3>
      <p>{subject}</p>
      {previewText !== null && previewText !== '' && <p class="small soft">{previewText}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the text. */}
      <pre class="draft-version" tabIndex={0}>
        {text}
      </pre>
    </section>
  )
}
