# SPDX-License-Identifier: Apache-2.0
"""Writes index.html: a list to which a visitor adds."""
ITEMS = {"bread": 2, "apples": 6, "candles": 12}

rows = "".join(f"<li>{count} × {name}</li>" for name, count in ITEMS.items())
page = f"""<!doctype html>
<meta charset=utf-8>
<title>A list</title>
<style>
body {{ font: 18px sans-serif; margin: 2em; color: #234 }}
li {{ padding: 0.3em }}
li.new {{ background: rgb(255, 221, 0) }}
</style>
<h1>What is to be bought</h1>
<ul id=list>{rows}</ul>
<input id=what placeholder="something else">
<button id=add>Add</button>
<p id=count></p>
<script>
const by = id => document.getElementById(id);
const show = () => by('count').textContent = by('list').children.length + ' things';
by('add').addEventListener('click', () => {{
    const item = by('list').appendChild(document.createElement('li'));
    item.className = 'new';
    item.textContent = '1 × ' + by('what').value;
    by('what').value = '';
    console.log('added', item.textContent);
    show();
}});
show();
</script>
"""
with open("index.html", "w", encoding="utf-8") as file:
    file.write(page)
print(len(ITEMS), "things on the list")
