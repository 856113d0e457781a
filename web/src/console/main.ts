// The console for staff: /console.
import { createApp } from 'vue'
import '@shared/tokens.css'
import './style.css'
import { applyTheme } from '@shared/theme'
import App from './App.vue'
import { router } from './router'

applyTheme()
createApp(App).use(router).mount('#app')
