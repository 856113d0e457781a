// The console for staff: /console. Element Plus and uPlot are loaded here and nowhere else.
import { createApp } from 'vue'
import { createRouter, createWebHistory } from 'vue-router'
import '@shared/tokens.css'
import { followOtherTabs } from '@shared/session'
import { applyTheme } from '@shared/theme'
import App from './App.vue'

applyTheme()
followOtherTabs()
const router = createRouter({
  history: createWebHistory('/console'),
  routes: [{ path: '/:rest(.*)*', component: () => import('./pages/Welcome.vue') }],
})
createApp(App).use(router).mount('#app')
