import { callApi, refusalText } from './portal-api.js'
import { toast } from './portal-toast.js'

const { failed, offline, voted, unvoted, signIn } = document.body.dataset

/** Shows the vote at once, and shows the old state again if the server refuses it. */
export async function vote(button) {
  if (button.getAttribute('aria-disabled') === 'true') {
    toast(signIn)
    return
  }
  if (button.getAttribute('aria-busy') === 'true') return
  const before = button.getAttribute('aria-pressed') === 'true'
  showVote(button, !before, Number(button.dataset.count) + (before ? -1 : 1))
  button.setAttribute('aria-busy', 'true')
  const path = `/ideas/${button.dataset.idea}/vote`
  try {
    const { result } = await callApi(before ? 'DELETE' : 'POST', path)
    // The visitor had voted on another page: the count did not change.
    if (result === 'already_voted') showVote(button, true, Number(button.dataset.count) - 1)
    if (result === 'not_voted') showVote(button, false, Number(button.dataset.count) + 1)
    toast(before ? unvoted : voted)
  } catch (error) {
    showVote(button, before, Number(button.dataset.count) + (before ? 1 : -1))
    toast(refusalText(error, { failed, offline }))
  } finally {
    button.removeAttribute('aria-busy')
  }
}

function showVote(button, pressed, count) {
  button.setAttribute('aria-pressed', String(pressed))
  button.dataset.count = String(count)
  const { lang } = document.documentElement
  const notation = count < 10_000 ? 'standard' : 'compact'
  const options = { notation, maximumFractionDigits: 1 }
  button.querySelector('.vote-count').textContent = new Intl.NumberFormat(lang, options).format(
    count,
  )
  button.form.elements.want.value = pressed ? 'unvote' : 'vote'
}
