import { useEffect, useRef, useState } from 'preact/hooks'
import { asProblem } from '../../../../http/problem.ts'
import { request } from '../../../../http/request.ts'
import { useSearchParams } from '../../../../url/use-search-params.ts'
import type { PortalSettings } from '../portal-settings.ts'
import { type BrandingDraft, shownBranding } from './branding-draft.ts'

interface PreviewProps {
  readonly projectId: string
  readonly settings: PortalSettings
  readonly draft: BrandingDraft
  readonly isChanged: boolean
}

interface Shown {
  readonly path: string
  readonly note: string | undefined
}

const pauseMs = 400

/**
 * The hosted page itself in a frame, with the unsaved branding in a signed, expiring address. The
 * frame takes no clicks and no keys, so nothing can be voted for by accident.
 */
export function PortalPreview({ projectId, settings, draft, isChanged }: PreviewProps) {
  const { get, set } = useSearchParams()
  const isNarrow = get('width') === 'narrow'
  const shown = useShown({ projectId, settings, draft, isChanged })
  return (
    <section class="portal-preview" aria-label="Preview">
      <header>
        <h2>Preview</h2>
        <span class="soft small" role="status">
          {shown.note ??
            (isChanged
              ? 'With your changes; visitors do not see them yet.'
              : 'As visitors see it.')}
        </span>
        <nav class="view-switch" aria-label="Width of the preview">
          {[
            { label: 'Wide', isCurrent: !isNarrow, width: undefined },
            { label: 'Narrow', isCurrent: isNarrow, width: 'narrow' },
          ].map(({ label, isCurrent, width }) => (
            <button
              key={label}
              type="button"
              aria-pressed={isCurrent}
              onClick={() => set({ width }, 'replace')}
            >
              {label}
            </button>
          ))}
        </nav>
      </header>
      <PreviewFrame path={shown.path} isNarrow={isNarrow} />
    </section>
  )
}

/** The former page stays until the next one is complete, so that typing does not flicker. */
function PreviewFrame({ path, isNarrow }: { readonly path: string; readonly isNarrow: boolean }) {
  const [ready, setReady] = useState(path)
  return (
    <div class="portal-frames" data-narrow={isNarrow}>
      {[...new Set([ready, path])].map((source) => (
        <iframe
          key={source}
          title="Preview of the portal"
          src={source}
          inert
          tabIndex={-1}
          data-next={source !== ready}
          onLoad={() => setReady(source)}
        />
      ))}
    </div>
  )
}

function useShown({ projectId, settings, draft, isChanged }: PreviewProps): Shown {
  const saved = `/portal/${settings.project_key}`
  const [shown, setShown] = useState<Shown>({ path: saved, note: undefined })
  const latest = useRef(0)
  const branding = JSON.stringify(shownBranding(draft))
  const savedText = JSON.stringify(settings.branding)
  useEffect(() => {
    const turn = ++latest.current
    if (!isChanged) {
      // The query makes the frame read again what has just been saved.
      setShown({ path: `${saved}?saved=${hash(savedText)}`, note: undefined })
      return undefined
    }
    const timer = setTimeout(() => {
      const wanted = { params: { project_id: projectId }, body: { branding: JSON.parse(branding) } }
      request('POST /api/v1/admin/portal/{project_id}/preview', wanted).then(
        ({ path, omits_css }) => {
          if (latest.current !== turn) return
          const note = omits_css ? 'The stylesheet is too long for a preview.' : undefined
          setShown({ path, note })
        },
        (error: unknown) => {
          if (latest.current !== turn) return
          const rule = asProblem(error)?.details[0]
          const why = rule === undefined ? (error as Error).message : `${rule.field} ${rule.rule}`
          setShown((before) => ({ ...before, note: `Not shown yet: ${why}` }))
        },
      )
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [projectId, branding, isChanged, savedText])
  return shown
}

function hash(text: string): string {
  let sum = 0
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) | 0
  return (sum >>> 0).toString(36)
}
