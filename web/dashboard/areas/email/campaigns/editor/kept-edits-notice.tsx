import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { CopyButton } from '../../../../design/content/copy.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { type CampaignDetail, fieldsOf, keptEditsOf } from './use-draft.ts'

/** Edits that were not saved when somebody sent or scheduled the campaign. */
export function KeptEditsNotice({ campaign }: { readonly campaign: CampaignDetail }) {
  const store = keptEditsOf(campaign.id)
  const [kept, setKept] = useState(() => store.read(fieldsOf(campaign)))
  if (kept === undefined) return null
  const { subject, previewText, html, markdown } = kept.change
  const texts = [subject, previewText, markdown ?? html].filter(
    (text) => text !== undefined && text !== null && text !== '',
  )
  const discard = () => {
    store.drop()
    setKept(undefined)
  }
  return (
    <Panel
      title="Your edits are not part of this campaign"
      actions={
        <>
          <CopyButton label="Copy them" text={texts.join('\n\n')} />
          <Button size="s" onClick={discard}>
            Discard
          </Button>
        </>
      }
    >
      <p class="soft">It left the draft state before they were saved. They are kept in this tab.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the text. */}
      <pre class="draft-version" tabIndex={0}>
        {texts.join('\n\n')}
      </pre>
    </Panel>
  )
}
