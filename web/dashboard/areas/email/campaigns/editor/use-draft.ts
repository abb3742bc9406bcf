import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { editReply } from '../../../../http/edit-cache.ts'
import { asProblem } from '../../../../http/problem.ts'
import { invalidateReads } from '../../../../http/query-client.ts'
import { type Reply, request } from '../../../../http/request.ts'
import { canWrite, me } from '../../../../session/session.ts'
import { hideToast, showToast } from '../../../../shell/toast-list.ts'
import { Autosave, type SaveState, type Verdict } from './autosave.ts'
import type { SourceKind } from './code-editor.ts'
import { type KeptEdits, KeptEditsStore } from './kept-edits.ts'

const detail = 'GET /api/v1/admin/email/campaigns/{campaign_id}'
const preflight = 'GET /api/v1/admin/email/campaigns/{campaign_id}/preflight'
export type CampaignDetail = Reply<typeof detail>

export interface DraftFields {
  readonly subject: string
  readonly previewText: string | null
  readonly archiveSlug: string
  readonly html: string | null
  readonly markdown: string | null
}

export interface Draft {
  readonly fields: DraftFields
  readonly kind: SourceKind
  readonly text: string
  /** Grows when the text changes in another way than by typing. */
  readonly revision: number
  readonly save: SaveState
  /** The version of the server, which previews and checks show. */
  readonly version: string
  readonly set: (change: Partial<DraftFields>) => void
  readonly setText: (text: string) => void
  readonly setKind: (kind: SourceKind) => void
  readonly flush: () => Promise<boolean>
  /** Decides a conflict for the text of this page, against the newer version. */
  readonly overwrite: (newer: CampaignDetail) => void
  /** Decides a conflict for the newer version. */
  readonly accept: (newer: CampaignDetail) => void
}

export function keptEditsOf(campaignId: string): KeptEditsStore<DraftFields> {
  return new KeptEditsStore({ personId: me.value?.id ?? '', campaignId })
}

export function fieldsOf(campaign: CampaignDetail): DraftFields {
  const { subject, previewText, archiveSlug, html, markdown } = campaign
  return { subject, previewText, archiveSlug, html, markdown }
}

/** The fields of a draft, saved while the person types. */
export function useDraft(campaign: CampaignDetail): Draft {
  const { route } = useLocation()
  const [kept] = useState(() =>
    canWrite.value ? keptEditsOf(campaign.id).read(fieldsOf(campaign)) : undefined,
  )
  const [fields, setFields] = useState(() => ({ ...fieldsOf(campaign), ...kept?.change }))
  const [save, setSave] = useState<SaveState>(
    kept === undefined ? { kind: 'saved', at: campaign.updatedAt } : { kind: 'unsaved' },
  )
  const [version, setVersion] = useState(campaign.updatedAt)
  const [revision, setRevision] = useState(0)
  const autosave = useRef<Autosave<DraftFields>>(undefined)
  autosave.current ??= startAutosave(campaign, kept, setVersion, setSave)
  const saver = autosave.current
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (saver.isDirty) event.preventDefault()
    }
    addEventListener('beforeunload', warn)
    return () => {
      removeEventListener('beforeunload', warn)
      void saver.flush().then((isSaved) => isSaved || tellNotSaved(campaign, route))
      saver.dispose()
    }
  }, [saver])
  useEffect(() => {
    if (kept === undefined) return
    if (notSavedToast !== undefined) hideToast(notSavedToast)
    showToast({ kind: 'done', text: 'Your unsaved edits are back.' })
  }, [kept])
  // Somebody else saved while nothing was typed here: show it at once.
  useEffect(() => {
    if (campaign.updatedAt <= saver.version || saver.isDirty) return
    saver.accept(campaign.updatedAt)
    setVersion(campaign.updatedAt)
    setFields(fieldsOf(campaign))
    setRevision((count) => count + 1)
  }, [campaign.updatedAt])

  const set = (change: Partial<DraftFields>) => {
    setFields((before) => ({ ...before, ...change }))
    saver.edit(change)
  }
  const kind = fields.html === null ? 'markdown' : 'html'
  const text = fields.html ?? fields.markdown ?? ''
  const setSource = (to: SourceKind, source: string) =>
    set(to === 'html' ? { html: source, markdown: null } : { html: null, markdown: source })
  return {
    fields,
    kind,
    text,
    revision,
    save,
    version,
    set,
    setText: (source) => setSource(kind, source),
    setKind: (to) => setSource(to, text),
    flush: () => saver.flush(),
    overwrite: (newer) => {
      // All of them: the other person may have changed fields that were not edited here.
      saver.edit(fields)
      void saver.overwrite(newer.updatedAt)
    },
    accept: (newer) => {
      const mine = fields
      const show = (shown: DraftFields) => {
        setFields(shown)
        setRevision((count) => count + 1)
      }
      show(fieldsOf(newer))
      setVersion(newer.updatedAt)
      saver.accept(newer.updatedAt)
      const undo = () => {
        show(mine)
        saver.edit(mine)
      }
      const action = { label: 'Undo', run: undo }
      showToast({ kind: 'done', text: 'The other version is used.', action })
    },
  }
}

/** It is wrong as soon as the draft is open again. */
let notSavedToast: number | undefined

/** The page is left while the server cannot store the edits, or refuses them. */
function tellNotSaved({ id, subject }: CampaignDetail, route: (path: string) => void): void {
  notSavedToast = showToast({
    kind: 'error',
    text: `Your edits of “${subject}” are not saved. They are kept in this tab.`,
    action: { label: 'Open the draft', run: () => route(`/email/campaigns/${id}`) },
  })
}

function startAutosave(
  { id, updatedAt }: CampaignDetail,
  kept: KeptEdits<DraftFields> | undefined,
  onVersion: (version: string) => void,
  onState: (state: SaveState) => void,
): Autosave<DraftFields> {
  return new Autosave<DraftFields>({
    version: kept?.version ?? updatedAt,
    unsaved: kept?.change,
    onUnsaved: (change, version) => keptEditsOf(id).keep({ change, version }),
    save: async (change, version) => {
      const body = { ...withoutNulls(change), ifUpdatedAt: version }
      const saved = await request('PATCH /api/v1/admin/email/campaigns/{campaign_id}', {
        params: { campaign_id: id },
        body: body as never,
      })
      editReply(
        detail,
        ({ campaign_id }) => campaign_id === id,
        () => saved as never,
      )
      onVersion(saved.updatedAt)
      void invalidateReads(preflight)
      if ('subject' in change) void invalidateReads('GET /api/v1/admin/email/campaigns')
      return saved.updatedAt
    },
    judge,
    onState,
    setTimer: (run, ms) => setTimeout(run, ms),
    clearTimer: (timer) => clearTimeout(timer),
  })
}

/** The kind of text that is not used is left out; an empty preview text is sent, to remove it. */
function withoutNulls({ html, markdown, ...change }: Partial<DraftFields>): Partial<DraftFields> {
  return {
    ...change,
    ...(html === null || html === undefined ? {} : { html }),
    ...(markdown === null || markdown === undefined ? {} : { markdown }),
  }
}

function judge(error: unknown): Verdict {
  const problem = asProblem(error)
  if (problem === undefined || problem.mayPass) return 'waiting'
  if (problem.code === 'changed_meanwhile') return 'conflict'
  return problem.code === 'conflict' || problem.status === 404 ? 'ended' : 'refused'
}
