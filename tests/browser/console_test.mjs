// The console in Chromium against the real server: a product, a round and a sale are made, published,
// warmed up and sold to a crowd while the live view moves; paused, resumed, stocked up; an order is
// found and refunded with a reason; the brake is pulled and released. No page may log an error, break
// the Content-Security-Policy, or have a serious finding of axe-core.
//
//   FLOODGATE=build/dev/floodgate node tests/browser/console_test.mjs
//
// PAGES names another origin that serves the pages and hands /api on to this server (LISTEN).
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = new URL('../../', import.meta.url).pathname
const require = createRequire(join(root, 'web/package.json'))
const { chromium } = require('playwright-core')
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')
const shots = join(root, 'build/screenshots')
const patience_ms = 30_000
mkdirSync(shots, { recursive: true })

const faults = []
const pause = (ms) => new Promise((go) => setTimeout(go, ms))

async function start_server() {
  const data = mkdtempSync(join(tmpdir(), 'floodgate-console-'))
  const program = process.env.FLOODGATE ?? join(root, 'build/release/floodgate')
  const server = spawn(program, ['serve', '--demo', '--data', join(data, 'd'), '--listen', process.env.LISTEN ?? '127.0.0.1:0'])
  let said = ''
  server.stdout.on('data', (text) => { said += text })
  server.stderr.resume()
  for (let i = 0; i < patience_ms / 50; ++i) {
    const found = /Floodgate [\d.]+ listens on [^\n]*?(http:\/\/\S+)/.exec(said)
    if (found) return { server, data, address: found[1] }
    await pause(50)
  }
  server.kill()
  throw new Error(`the server did not start: ${said}`)
}

async function api(address, token, verb, path, body) {
  const answer = await fetch(`${address}/api/v1${path}`, {
    method: verb,
    headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    ...(verb === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
  })
  return { status: answer.status, body: await answer.json().catch(() => ({})) }
}

// Buyers register and buy, one after the other in a few lines: enough for the live view to move.
async function crowd(address, sale, count) {
  const orders = []
  const lines = Array.from({ length: 4 }, async (_, line) => {
    for (let i = line; i < count; i += 4) {
      const phone = `139${String(10_000_000 + i)}`
      const made = await api(address, '', 'POST', '/auth/register', { phone, password: 'a long enough one', nickname: `b${i}` })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      const bought = await api(address, made.body.token, 'POST', `/sales/${sale}/orders`)
      assert.equal(bought.status, 202, JSON.stringify(bought.body))
      orders.push({ no: bought.body.order_no, token: made.body.token, phone })
    }
  })
  await Promise.all(lines)
  return orders
}

async function open_page(browser, { width, height, scheme, language }) {
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: scheme, locale: language === 'zh' ? 'zh-CN' : 'en-GB',
  })
  await context.addInitScript((l) => localStorage.setItem('floodgate.language', l), language)
  const page = await context.newPage()
  page.setDefaultTimeout(patience_ms)
  page.on('console', (m) => { if (m.type() === 'error') faults.push(`${page.url()}: ${m.text()}`) })
  page.on('pageerror', (e) => faults.push(`${page.url()}: ${e}`))
  return page
}

async function log_in(page, pages, phone = '10000', password = 'demo-admin') {
  await page.goto(`${pages}/console`)
  await page.fill('[name=phone]', phone)
  await page.fill('[name=password]', password)
  await page.click('button[type=submit]')
  await page.waitForSelector('nav#menu', { state: 'attached' })
}

// axe-core is run by the browser itself, outside the page's policy.
async function judge(page, where) {
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: axe })
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run().then((r) => JSON.stringify(r.violations
      .filter((v) => v.impact === 'serious' || v.impact === 'critical')
      .map((v) => v.id + ' ' + v.nodes[0].html)))`,
    awaitPromise: true,
  })
  for (const found of JSON.parse(result.value)) faults.push(`axe ${where}: ${found}`)
  await session.detach()
}

const dialog = (page) => page.locator('dialog[open]')
const submit = async (page) => {
  await dialog(page).locator('button[type=submit]').click()
  await dialog(page).waitFor({ state: 'detached' }).catch(() => dialog(page).waitFor({ state: 'hidden' }))
}

async function make_sale(page, pages) {
  await page.goto(`${pages}/console/products`)
  await page.click('text=New product')
  await page.fill('dialog [name=title]', 'Kettle')
  await page.fill('dialog [name=list_price]', 'a lot')
  await dialog(page).locator('button[type=submit]').click()
  await page.waitForSelector('dialog .fault') // nonsense is refused with the reason
  await page.fill('dialog [name=list_price]', '299')
  await submit(page)
  await page.waitForSelector('h2:has-text("Kettle")')

  const local = (ms) => new Date(ms - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  await page.goto(`${pages}/console/rounds`)
  await page.click('text=New round')
  await page.fill('dialog [name=title]', 'Tonight')
  await page.fill('dialog [name=starts_at]', local(Date.now() + 3_600_000))
  await page.fill('dialog [name=ends_at]', local(Date.now()))
  await dialog(page).locator('button[type=submit]').click()
  await page.waitForSelector('dialog .fault') // it would end before it opens
  await page.fill('dialog [name=starts_at]', local(Date.now() - 60_000))
  await page.fill('dialog [name=ends_at]', local(Date.now() + 7_200_000))
  await submit(page)
  await page.waitForSelector('td:has-text("Tonight")')

  await page.goto(`${pages}/console/sales`)
  await page.click('text=New sale')
  await page.waitForSelector('dialog option:has-text("Kettle")', { state: 'attached' })
  const value = async (text) => page.locator(`dialog option:has-text("${text}")`).first().getAttribute('value')
  await page.selectOption('dialog [name=product_id]', await value('Kettle'))
  await page.selectOption('dialog [name=round_id]', await value('Tonight'))
  await page.fill('dialog [name=price]', '99')
  await page.fill('dialog [name=stock]', '20')
  await submit(page)
  await page.locator('tbody a:has-text("Kettle")').first().click()
  await page.waitForSelector('[data-test=stock]')
  await page.locator('main').getByRole('button', { name: 'Publish', exact: true }).click()
  await submit(page)
  await page.locator('main').getByRole('button', { name: 'Warm up', exact: true }).click()
  await page.waitForSelector('.notice')
  return Number(/\/sales\/(\d+)/.exec(page.url())[1])
}

async function sell(page, pages, address, sale) {
  await page.goto(`${pages}/console/live`)
  await page.waitForSelector('[data-test=invariant]')
  const free = () => page.locator('[data-test=invariant] .legend li', { hasText: 'Free' }).locator('b').innerText()
  const before = await free()
  const orders = await crowd(address, sale, 12)
  assert.ok(orders.length > 0, 'nobody could buy')
  await page.waitForFunction((was) => {
    const rows = [...document.querySelectorAll('[data-test=invariant] .legend li')]
    return rows.find((r) => r.textContent.includes('Free'))?.querySelector('b')?.textContent !== was
  }, before)
  await page.screenshot({ path: join(shots, 'console-live-desktop-light-en.png') })
  return orders
}

async function hold_and_stock(page, pages, address, sale, buyer) {
  await page.goto(`${pages}/console/sales/${sale}`)
  const button = (name) => page.locator('main').getByRole('button', { name, exact: true })
  await button('Pause').click()
  await submit(page)
  await button('Resume').waitFor()
  const held = await api(address, buyer.token, 'POST', `/sales/${sale}/orders`)
  assert.equal(held.body.code, 'paused')
  await button('Resume').click()
  await submit(page)
  await button('Change stock').click()
  await page.fill('dialog [name=delta]', '5')
  await page.fill('dialog [name=note]', 'a box was found')
  await submit(page)
  await page.waitForFunction(() => document.querySelector('[data-test=stock]')?.textContent === '25')
}

async function refund(page, pages, address, buyer) {
  for (let i = 0; i < 100; ++i) {
    const paid = await api(address, buyer.token, 'POST', `/orders/${buyer.no}/pay`, { method: 'test' })
    if (paid.status < 300) break
    await pause(100)
  }
  await page.goto(`${pages}/console/orders`)
  await page.fill('[name=order]', buyer.no)
  await page.click('form[role=search] button')
  await page.waitForSelector(`h1:has-text("${buyer.no}")`)
  await page.locator('main').getByRole('button', { name: 'Refund', exact: true }).click()
  await dialog(page).locator('button[type=submit]').click()
  await page.waitForSelector('dialog .fault') // no reason, no refund
  await page.fill('dialog [name=reason]', 'the kettle leaks')
  await submit(page)
  await page.waitForSelector('td:has-text("the kettle leaks")')
}

async function brake(page, address, sale, buyer) {
  await page.click('header .brake')
  await page.fill('dialog [name=reason]', 'a wrong price')
  await submit(page)
  await page.waitForSelector('header .stopped')
  assert.equal((await api(address, buyer.token, 'POST', `/sales/${sale}/orders`)).body.code, 'paused')
  await page.click('header .release')
  await page.fill('dialog [name=reason]', 'mended')
  await submit(page)
  await page.waitForSelector('header .brake')
}

async function look_at_all(browser, pages, sale, order) {
  const all = ['live', 'alerts', 'sales', `sales/${sale}`, 'rounds', 'products', 'orders', `orders/${order}`, 'payments', 'letters',
    'reconciliation', 'points', 'health', 'switches', 'audit', 'config']
  for (const look of [
    { width: 1366, height: 860, scheme: 'dark', language: 'zh', name: 'desktop-dark-zh' },
    { width: 820, height: 1100, scheme: 'light', language: 'en', name: 'tablet-light-en' },
    { width: 360, height: 740, scheme: 'light', language: 'zh', name: 'phone-light-zh' },
  ]) {
    const page = await open_page(browser, look)
    await log_in(page, pages)
    for (const path of all) {
      await page.goto(`${pages}/console/${path}`)
      await page.waitForSelector('main h1')
      await pause(700)
      await page.screenshot({ path: join(shots, `console-${path.split('/')[0]}${path.includes('/') ? '-one' : ''}-${look.name}.png`) })
      await judge(page, `${path} ${look.name}`)
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (wide > 0) faults.push(`${path} ${look.name}: ${wide} px wider than the screen`)
    }
    await page.context().close()
  }
}

const { server, data, address } = await start_server()
const pages = process.env.PAGES ?? address
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  const page = await open_page(browser, { width: 1366, height: 860, scheme: 'light', language: 'en' })
  await log_in(page, pages)
  const sale = await make_sale(page, pages)
  console.log('ok: a product, a round and a sale were made, published and warmed up')
  const orders = await sell(page, pages, address, sale)
  console.log(`ok: the live view moved while ${orders.length} buyers bought`)
  await hold_and_stock(page, pages, address, sale, orders[0])
  console.log('ok: paused, resumed, stocked up')
  await refund(page, pages, address, orders[0])
  console.log('ok: an order was found and refunded with a reason')
  await brake(page, address, sale, orders[1])
  console.log('ok: the brake stops every sale, and lets go')
  await look_at_all(browser, pages, sale, orders[0].no)
  const left = faults.filter((f) => !f.includes('status of 4')) // answers that the test itself provokes
  assert.deepEqual(left, [])
  console.log('ok: no error, no report, no serious finding, nothing wider than the screen')
} catch (error) {
  console.log(`FAILED, and the pages said: ${faults.join('; ')}`)
  for (const context of browser.contexts())
    for (const page of context.pages()) await page.screenshot({ path: join(shots, 'console-failed.png') })
  throw error
} finally {
  await browser.close()
  server.kill()
  await new Promise((gone) => { server.exitCode === null ? server.once('exit', gone) : gone() })
  rmSync(data, { recursive: true, force: true })
}
