/**
 * Recognises errors that a browser extension threw into a page. The site's code is not at fault.
 */
import type { EventException, Frame, NormalizedEvent } from '../normalize/event.ts'

export function isFromExtension({ platform, exceptions }: NormalizedEvent): boolean {
  if (platform !== 'javascript') return false
  return exceptions.some(
    (exception) => isThrownByExtension(exception) || knownMessages.test(exception.value),
  )
}

/**
 * An extension that only wraps a function of the page is further out in the stack, and not at
 * fault.
 */
function isThrownByExtension({ frames }: EventException): boolean {
  const last = frames.findLast((frame) => addressOf(frame) !== '' && !isNative(frame))
  return last !== undefined && extensionAddress.test(addressOf(last))
}

function addressOf({ abs_path, filename }: Frame): string {
  return abs_path ?? filename ?? ''
}

function isNative(frame: Frame): boolean {
  const address = addressOf(frame)
  return address === '<anonymous>' || address === '[native code]' || address === 'native'
}

const extensionAddress =
  /^(?:chrome|moz|safari|safari-web|ms-browser|webkit-masked-url|opera)(?:-extension)?:\/\/|^(?:chrome|resource|file:\/\/\/.{0,200}extensions)[:/]|\/extensions?\/[a-p]{32}\//i

/** Messages of errors that extensions throw from scripts without an address of their own. */
const knownMessages =
  /^top\.GLOBALS$|originalCreateNotification|canvas\.contentDocument|MyApp_RemoveAllHighlights|atomicFindClose|fb_xd_fragment|plugin\.setSuspendState|conduitPage|EBCallBackMessageReceived|_avast_submit|Extension context invalidated|chrome\.runtime|window\.ethereum|__firefox__\./
