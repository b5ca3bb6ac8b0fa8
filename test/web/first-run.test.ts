/** A person who has just started the service: becomes the first operator and sees the overview, in a real browser. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../support/gateway.ts'
import { chromiumPath, openChromium, watchedPage } from './support/chromium.ts'

/** The browser's own line on an answer that says no. */
const answered = /Failed to load resource: the server responded with a status of 40[139]/

describe.skipIf(chromiumPath === undefined)('the first run', () => {
  let service: GatewayUnderTest
  let browser: Browser
  const password = 'correct horse battery'

  beforeAll(async () => {
    service = await gatewayUnderTest()
    browser = await openChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  it('asks for the code of the start, makes the owner, and shows the overview', async () => {
    const { page, troubles, close } = await watchedPage(browser, {}, [answered])
    await page.goto(`http://127.0.0.1:${service.gateway.uiPort}/`)
    await page.getByRole('heading', { name: 'Make the first operator' }).waitFor()
    await page.getByLabel('Setup code').fill('WRONG-CODE')
    await page.getByLabel('Login').fill('ada')
    await page.getByLabel('Your name').fill('Ada')
    await page.getByLabel('Password', { exact: false }).first().fill(password)
    await page.getByRole('button', { name: 'Become the owner' }).click()
    await page.getByText('The setup code is wrong.').waitFor()
    await page.getByLabel('Setup code').fill(service.gateway.setupCode ?? '')
    await page.getByRole('button', { name: 'Become the owner' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByText('Ready', { exact: true }).waitFor()
    expect(troubles).toEqual([])
    await close()
  })

  it('lets the owner in again, and nobody without the password', async () => {
    const { page, troubles, close } = await watchedPage(browser, { locale: 'ru-RU' }, [answered])
    await page.goto(`http://127.0.0.1:${service.gateway.uiPort}/`)
    await page.getByLabel('Логин').fill('ada')
    await page.getByLabel('Пароль').first().fill('wrong wrong wrong')
    await page.getByRole('button', { name: 'Войти' }).click()
    await page.getByText('Неверный логин или пароль.').waitFor()
    await page.getByLabel('Пароль').first().fill(password)
    await page.getByRole('button', { name: 'Войти' }).click()
    await page.getByRole('heading', { name: 'Обзор' }).waitFor()
    expect(troubles).toEqual([])
    await close()
  })
})
