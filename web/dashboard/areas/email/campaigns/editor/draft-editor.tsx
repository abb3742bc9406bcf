import { useState } from 'preact/hooks'
import { SelectField, TextField } from '../../../../design/forms/field.tsx'
import { Menu } from '../../../../design/overlays/menu.tsx'
import { asProblem } from '../../../../http/problem.ts'
import type { CodeEditor } from './code-editor.ts'
import type { MergeTag } from './merge-tags.ts'
import { PreviewPane } from './preview-pane.tsx'
import { SaveProblem } from './save-state.tsx'
import { SourceField } from './source-field.tsx'
import type { CampaignDetail, Draft } from './use-draft.ts'

/** Subject, text and preview of a draft, side by side. */
export function DraftEditor({
  campaign,
  draft,
  mergeTags,
  readOnly,
}: {
  readonly campaign: CampaignDetail
  readonly draft: Draft
  readonly mergeTags: readonly MergeTag[]
  readonly readOnly: boolean
}) {
  const [editor, setEditor] = useState<CodeEditor>()
  const problem = draft.save.kind === 'refused' ? asProblem(draft.save.problem) : undefined
  const { fields } = draft
  return (
    <div class="draft">
      <section class="draft-write" aria-label="Write">
        <SaveProblem campaignId={campaign.id} draft={draft} />
        <TextField
          label="Subject"
          value={fields.subject}
          maxLength={255}
          disabled={readOnly}
          error={problem?.ruleOf('subject')}
          onText={(subject) => draft.set({ subject })}
        />
        <TextField
          label="Preview text"
          hint="Mail clients show it beside the subject. Without it they show the first words."
          value={fields.previewText ?? ''}
          maxLength={255}
          disabled={readOnly}
          error={problem?.ruleOf('previewText')}
          onText={(previewText) => draft.set({ previewText })}
        />
        <div class="draft-code-box">
          <div class="draft-code-bar">
            <SelectField
              label="Written in"
              hideLabel
              value={draft.kind}
              disabled={readOnly}
              choices={[
                { value: 'markdown', label: 'Markdown' },
                { value: 'html', label: 'HTML' },
              ]}
              onValue={(kind) => draft.setKind(kind === 'html' ? 'html' : 'markdown')}
            />
            <Menu
              label="Insert a placeholder"
              size="s"
              kind="quiet"
              icon="code"
              disabled={editor === undefined || readOnly}
              actions={mergeTags.map(({ tag, label }) => ({
                label: `${tag}  ${label}`,
                run: () => editor?.insert(tag),
              }))}
            />
          </div>
          <SourceField
            text={draft.text}
            revision={draft.revision}
            kind={draft.kind}
            readOnly={readOnly}
            mergeTags={mergeTags}
            onText={draft.setText}
            onEditor={setEditor}
          />
        </div>
        <TextField
          label="Address in the archive"
          hint={campaign.url ?? 'The archive of this newsletter is switched off.'}
          value={fields.archiveSlug}
          maxLength={100}
          disabled={readOnly}
          error={problem?.ruleOf('archiveSlug') ?? slugTaken(problem)}
          onText={(archiveSlug) => draft.set({ archiveSlug })}
        />
      </section>
      <PreviewPane
        campaignId={campaign.id}
        newsletter={campaign.newsletter}
        version={draft.version}
      />
    </div>
  )
}

function slugTaken(problem: ReturnType<typeof asProblem>): string | undefined {
  return problem?.code === 'archive_slug_taken'
    ? 'is the address of another campaign of this newsletter'
    : undefined
}
