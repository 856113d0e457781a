import { createApp, watchEffect } from 'vue'
import '@shared/tokens.css'
import './base.css'
import { locale } from '@shared/i18n'
import { keepClock } from '@shared/server_clock'
import { followOtherTabs } from '@shared/session'
import { applyTheme } from '@shared/theme'
import App from './App.vue'
import { router } from './router'

applyTheme()
followOtherTabs()
keepClock()
watchEffect(() => {
  document.documentElement.lang = locale.value
})
createApp(App).use(router).mount('#app')
